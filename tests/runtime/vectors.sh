#!/bin/sh
# Do cuBLAS's functions of vectors give what BLAS says, with steps of either sign, scalars and results on either side, in every type?
warpwatt=$1
program=$2
. "$(dirname "$0")/../support/scratch.sh"
for timing in --no-timing --quiet; do
    "$warpwatt" run --gpu a100 $timing --force --out "$work/result" -- "$program" >"$work/stdout" 2>"$work/stderr" || { head -n 20 "$work/stdout"; fail 'the program failed'; }
    grep -q '^0 wrong' "$work/stdout" || fail 'wrong results'
done
[ "$(grep -c "cublasSaxpy runs on a kernel of WarpWatt's own" "$work/stderr")" -eq 1 ] || fail 'a kernel of ours is not named once'
grep -q 'ww_ddot_end' "$work/result/kernels.csv" || fail 'the sum is no launch'
