// sgemm_sliced_nn.cu - products on the FP32 lanes whose CTAs have four slices of K, B along N.
#include "sgemm.cuh"

SGEMM(sgemm_sliced_nn_64x64, 64, 64, true, 4)
SGEMM(sgemm_sliced_nn_64x32, 64, 32, true, 4)
