// wide_bf16_nn.cu - products of bf16, BLAS's nn, that leave f32.
#include "kernels.cuh"
OWN(wide_bf16_nn, gemm::wide_bf16, true, false)
