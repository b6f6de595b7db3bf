// kernels.cuh - products for the thin cuBLAS on the matrix units: the operators' kernel (workloads/operators/gemm.cuh) with operands
// that lie as BLAS may have them, and with sums that stay in f32 for an epilogue of its own (finish.cu).
//
// BLAS's columns are the kernel's rows: its A is BLAS's op(B), its B op(A). Layouts are named by BLAS's two letters.
#pragma once
#include "../../../workloads/operators/gemm.cuh"

namespace gemm {

// Numbers of 16 bits whose products leave f32.
struct wide_bf16 { bf16 v; };
struct wide_f16 { f16 v; };
MMA(wide_bf16, "m16n8k16", "f32.bf16.bf16.f32", "+f", float)
MMA(wide_f16, "m16n8k16", "f32.f16.f16.f32", "+f", float)
template <> struct number<wide_bf16> { typedef float sum; typedef float out; };
template <> struct number<wide_f16> { typedef float sum; typedef float out; };

} // namespace gemm

// A's rows lie along K unless BLAS's B is transposed; B's do if BLAS's A is.
#define OWN(NAME, T, AK, BKM)                                                                                              \
    GEMM(NAME##_128x128, T, 128, 128, 64, 2, 2, 2, AK, BKM)                                                                \
    GEMM(NAME##_64x64, T, 64, 64, 64, 4, 2, 2, AK, BKM)
