// sgemm_nn.cu - products on the FP32 lanes, B along N.
#include "sgemm.cuh"

SGEMM(sgemm_nn_128x128, 128, 128, true, 1)
SGEMM(sgemm_nn_128x64, 128, 64, true, 1)
SGEMM(sgemm_nn_64x64, 64, 64, true, 1)
