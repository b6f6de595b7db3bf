// wide_f16_nn.cu - products of f16, BLAS's nn, that leave f32.
#include "kernels.cuh"
OWN(wide_f16_nn, gemm::wide_f16, true, false)
