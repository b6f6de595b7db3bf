// gemm_tf32_tn.cu - products of tf32 whose operands both lie along K.
#include "gemm.cuh"
GEMM(gemm_tf32_tn_128x128, gemm::tf32, 128, 128, 32, 2, 2, 2, true, true)
GEMM(gemm_tf32_tn_256x128, gemm::tf32, 256, 128, 32, 3, 4, 2, true, true)
GEMM(gemm_tf32_tn_128x64, gemm::tf32, 128, 64, 32, 3, 2, 2, true, true)
GEMM(gemm_tf32_tn_64x64, gemm::tf32, 64, 64, 32, 4, 2, 2, true, true)
