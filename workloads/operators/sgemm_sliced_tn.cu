// sgemm_sliced_tn.cu - products on the FP32 lanes whose CTAs have four slices of K, B along K.
#include "sgemm.cuh"

SGEMM(sgemm_sliced_tn_64x64, 64, 64, false, 4)
SGEMM(sgemm_sliced_tn_64x32, 64, 32, false, 4)
