// wide_f16_tt.cu - products of f16, BLAS's tt, that leave f32.
#include "kernels.cuh"
OWN(wide_f16_tt, gemm::wide_f16, false, true)
