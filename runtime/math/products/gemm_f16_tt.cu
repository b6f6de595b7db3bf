// gemm_f16_tt.cu - products of f16, BLAS's tt: those that the operators do not have.
#include "kernels.cuh"
OWN(gemm_f16_tt, f16, false, true)
