// wide_bf16_tn.cu - products of bf16, BLAS's tn, that leave f32.
#include "kernels.cuh"
OWN(wide_bf16_tn, gemm::wide_bf16, true, true)
