// wide_bf16_tt.cu - products of bf16, BLAS's tt, that leave f32.
#include "kernels.cuh"
OWN(wide_bf16_tt, gemm::wide_bf16, false, true)
