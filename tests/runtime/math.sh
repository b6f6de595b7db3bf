#!/bin/sh
# Do the thin libraries before cuBLAS and its like compute what they say they compute, and say once what they do not?
warpwatt=$1
program=$2
. "$(dirname "$0")/../support/scratch.sh"
"$warpwatt" run --gpu gtx1080ti --no-timing --out "$work/result" -- "$program" >"$work/stdout" 2>"$work/stderr" || fail 'the program failed'
grep -q '^0 wrong' "$work/stdout" || fail 'wrong results'
[ "$(grep -c 'cublasSsymv_v2 of libcublas.so.13 is not simulated; it returns CUBLAS_STATUS_NOT_SUPPORTED' "$work/stderr")" -eq 1 ] ||
    fail 'a missing function is not named once'
[ "$(grep -c "cublasSgemm_v2 runs on a kernel of WarpWatt's own" "$work/stderr")" -eq 1 ] || fail 'a kernel of ours is not named once'
grep -q '"cufftXtSetGPUs"' "$work/result/program.json" || fail 'not in the report'
grep -q 'ww_sgemm' "$work/result/kernels.csv" || fail 'the product is no launch'
