// gemm_bf16_nt.cu - products of bf16, BLAS's nt: those that the operators do not have.
#include "kernels.cuh"
OWN(gemm_bf16_nt, bf16, false, false)
