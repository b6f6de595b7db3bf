// wgmma_bf16_nn.cu - products of bf16 by warp groups; A lies along K, B across it.
#include "wgmma.cuh"
WGMMA(wgmma_bf16_nn_128x256, 256, 3, true)
WGMMA(wgmma_bf16_nn_128x128, 128, 4, true)
WGMMA(wgmma_bf16_nn_128x64, 64, 4, true)
