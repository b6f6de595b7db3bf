// gemm_bf16_tn.cu - products of bf16 whose operands both lie along K.
#include "gemm.cuh"
GEMM(gemm_bf16_tn_128x128, bf16, 128, 128, 64, 2, 2, 2, true, true)
GEMM(gemm_bf16_tn_256x128, bf16, 256, 128, 64, 3, 4, 2, true, true)
GEMM(gemm_bf16_tn_128x64, bf16, 128, 64, 64, 3, 2, 2, true, true)
GEMM(gemm_bf16_tn_64x64, bf16, 64, 64, 64, 4, 2, 2, true, true)
