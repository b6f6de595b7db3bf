// conv_tf32.cu - convolutions of tf32 over channels-last tensors, as products with a gathered operand (implicit GEMM). Channels come
// in whole chunks of 16 bytes: the host pads those of an image.
#include "gemm.cuh"
CONVOLUTION(conv_tf32_256x128, gemm::tf32, 256, 128, 128 / sizeof(gemm::tf32), 3, 4, 2)
CONVOLUTION(conv_tf32_128x128, gemm::tf32, 128, 128, 128 / sizeof(gemm::tf32), 2, 2, 2)
CONVOLUTION(conv_tf32_128x64, gemm::tf32, 128, 64, 128 / sizeof(gemm::tf32), 3, 2, 2)
CONVOLUTION(conv_tf32_64x64, gemm::tf32, 64, 64, 128 / sizeof(gemm::tf32), 4, 2, 2)
