// gemm_f16_nn.cu - products of f16 whose A lies along K, B along N.
#include "gemm.cuh"
GEMM(gemm_f16_nn_128x128, f16, 128, 128, 64, 2, 2, 2, true, false)
GEMM(gemm_f16_nn_256x128, f16, 256, 128, 64, 3, 4, 2, true, false)
GEMM(gemm_f16_nn_128x64, f16, 128, 64, 64, 3, 2, 2, true, false)
GEMM(gemm_f16_nn_64x64, f16, 64, 64, 64, 4, 2, 2, true, false)
