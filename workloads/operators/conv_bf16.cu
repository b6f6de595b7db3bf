// conv_bf16.cu - convolutions of bf16 over channels-last tensors, as products with a gathered operand (implicit GEMM). Channels come
// in whole chunks of 16 bytes: the host pads those of an image.
#include "gemm.cuh"
CONVOLUTION(conv_bf16_256x128, bf16, 256, 128, 128 / sizeof(bf16), 3, 4, 2)
CONVOLUTION(conv_bf16_128x128, bf16, 128, 128, 128 / sizeof(bf16), 2, 2, 2)
CONVOLUTION(conv_bf16_128x64, bf16, 128, 64, 128 / sizeof(bf16), 3, 2, 2)
CONVOLUTION(conv_bf16_64x64, bf16, 64, 64, 128 / sizeof(bf16), 4, 2, 2)
