// wide_e4m3_tn.cu - products of 8-bit floats that leave f32. From compute capability 8.9 on.
#include "kernels.cuh"
namespace gemm {
struct wide_e4m3 { uint8_t bits; };
MMA(wide_e4m3, "m16n8k32", "f32.e4m3.e4m3.f32", "+f", float)
template <> struct number<wide_e4m3> { typedef float sum; typedef float out; };
} // namespace gemm
GEMM(wide_e4m3_tn_128x128, gemm::wide_e4m3, 128, 128, 128, 2, 2, 2, true, true)
GEMM(wide_e4m3_tn_64x64, gemm::wide_e4m3, 64, 64, 128, 4, 2, 2, true, true)
