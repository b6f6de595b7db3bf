// gemm_f16_tn.cu - products of f16 whose operands both lie along K.
#include "gemm.cuh"
GEMM(gemm_f16_tn_128x128, f16, 128, 128, 64, 2, 2, 2, true, true)
GEMM(gemm_f16_tn_256x128, f16, 256, 128, 64, 3, 4, 2, true, true)
GEMM(gemm_f16_tn_128x64, f16, 128, 64, 64, 3, 2, 2, true, true)
GEMM(gemm_f16_tn_64x64, f16, 64, 64, 64, 4, 2, 2, true, true)
