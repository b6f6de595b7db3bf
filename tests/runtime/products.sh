#!/bin/sh
# Are products of cuBLAS and cuBLASLt right in every type, transpose and epilogue, and do they run on matrix units?
warpwatt=$1
program=$2
. "$(dirname "$0")/../support/scratch.sh"
check() { # GPU RESULT [options]
    gpu=$1 result=$2
    shift 2
    "$warpwatt" run --gpu "$gpu" --no-timing --out "$work/$result" "$@" -- "$program" >"$work/stdout" 2>"$work/stderr" || { head -n 20 "$work/stdout" "$work/stderr"; fail "the program failed: $result"; }
    grep -q '^0 wrong' "$work/stdout" || fail "wrong results: $result"
}
check a100 a100
check rtx4090 rtx4090
check a100 large --set sm.count=1 --set sm.clusters=1 # one SM is filled by a single large tile
for kernel in gemm_bf16_tn gemm_bf16_nn gemm_bf16_nt gemm_bf16_tt wide_f16_nt gemm_tf32_tn gemm_s8_tn sgemm_tn ww_finish_product; do
    grep -q "$kernel" "$work/a100/kernels.csv" || fail "$kernel has not run"
done
for kernel in gemm_bf16_tn_256x128 gemm_bf16_tt_128x128 wide_bf16_nn_128x128 gemm_tf32_tn_256x128 gemm_s8_tn_256x128; do
    grep -q "$kernel" "$work/large/kernels.csv" || fail "$kernel has not run"
done
grep -q 'wide_e4m3_tn' "$work/rtx4090/kernels.csv" || fail 'no product of 8-bit floats has run'
! grep -q 'ww_[bhs]*gemm' "$work/a100/kernels.csv" || fail 'a product has run on a plain kernel'
