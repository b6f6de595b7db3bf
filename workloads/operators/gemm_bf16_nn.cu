// gemm_bf16_nn.cu - products of bf16 whose A lies along K, B along N.
#include "gemm.cuh"
GEMM(gemm_bf16_nn_128x128, bf16, 128, 128, 64, 2, 2, 2, true, false)
GEMM(gemm_bf16_nn_256x128, bf16, 256, 128, 64, 3, 4, 2, true, false)
GEMM(gemm_bf16_nn_128x64, bf16, 128, 64, 64, 3, 2, 2, true, false)
GEMM(gemm_bf16_nn_64x64, bf16, 64, 64, 64, 4, 2, 2, true, false)
