// gemm_bf16_tt.cu - products of bf16, BLAS's tt: those that the operators do not have.
#include "kernels.cuh"
OWN(gemm_bf16_tt, bf16, false, true)
