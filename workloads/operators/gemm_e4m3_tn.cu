// gemm_e4m3_tn.cu - products of 8-bit floats whose operands both lie along K; results are bf16. From compute capability 8.9 on.
#include "gemm.cuh"
namespace gemm {
struct e4m3 { uint8_t bits; };
MMA(e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", "+f", float)
template <> struct number<e4m3> { typedef float sum; typedef bf16 out; };
}
GEMM(gemm_e4m3_tn_128x128, gemm::e4m3, 128, 128, 128, 2, 2, 2, true, true)
GEMM(gemm_e4m3_tn_256x128, gemm::e4m3, 256, 128, 128, 3, 4, 2, true, true)
GEMM(gemm_e4m3_tn_128x64, gemm::e4m3, 128, 64, 128, 3, 2, 2, true, true)
GEMM(gemm_e4m3_tn_64x64, gemm::e4m3, 64, 64, 128, 4, 2, 2, true, true)
