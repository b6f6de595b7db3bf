// wgmma_bf16_tn.cu - products of bf16 by warp groups; both operands lie along K.
#include "wgmma.cuh"
WGMMA(wgmma_bf16_tn_128x256, 256, 3, false)
WGMMA(wgmma_bf16_tn_128x128, 128, 4, false)
WGMMA(wgmma_bf16_tn_128x64, 64, 4, false)
