// wide_f16_nt.cu - products of f16, BLAS's nt, that leave f32.
#include "kernels.cuh"
OWN(wide_f16_nt, gemm::wide_f16, false, false)
