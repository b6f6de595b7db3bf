// sgemm_tn.cu - products on the FP32 lanes, B along K.
#include "sgemm.cuh"

SGEMM(sgemm_tn_128x128, 128, 128, false, 1)
SGEMM(sgemm_tn_128x64, 128, 64, false, 1)
SGEMM(sgemm_tn_64x64, 64, 64, false, 1)
