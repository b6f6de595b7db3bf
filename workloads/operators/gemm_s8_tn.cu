// gemm_s8_tn.cu - products of 8-bit integers whose operands both lie along K; sums are exact, results floats.
#include "gemm.cuh"
GEMM(gemm_s8_tn_128x128, int8_t, 128, 128, 128, 2, 2, 2, true, true)
GEMM(gemm_s8_tn_256x128, int8_t, 256, 128, 128, 3, 4, 2, true, true)
GEMM(gemm_s8_tn_128x64, int8_t, 128, 64, 128, 3, 2, 2, true, true)
GEMM(gemm_s8_tn_64x64, int8_t, 64, 64, 128, 4, 2, 2, true, true)
