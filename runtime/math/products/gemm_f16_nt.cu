// gemm_f16_nt.cu - products of f16, BLAS's nt: those that the operators do not have.
#include "kernels.cuh"
OWN(gemm_f16_nt, f16, false, false)
