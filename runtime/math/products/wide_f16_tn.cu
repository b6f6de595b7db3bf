// wide_f16_tn.cu - products of f16, BLAS's tn, that leave f32.
#include "kernels.cuh"
OWN(wide_f16_tn, gemm::wide_f16, true, true)
