// wide_bf16_nt.cu - products of bf16, BLAS's nt, that leave f32.
#include "kernels.cuh"
OWN(wide_bf16_nt, gemm::wide_bf16, false, false)
