#!/bin/sh
# Do two processes of a program share device memory, in time and without, and is all that both launch in the result?
# Usage: ipc.sh WARPWATT PROGRAM
. "$(dirname "$0")/../support/scratch.sh"
run() {
    "$1" run --gpu gtx1080ti $2 --out "$work/out" --force -- "$3" >"$work/stdout" 2>"$work/stderr"
}
for options in "" --no-timing --concurrent; do
    run "$1" "$options" "$2" || fail "ipc $options: the program failed"
    grep -q 'first: PASSED' "$work/stdout" && grep -q 'second: PASSED' "$work/stdout" || fail "ipc $options: not both passed"
    [ "$(wc -l <"$work/out/kernels.csv")" -eq 13 ] || fail "ipc $options: expected 7 and 5 launches"
done
# With exact bounds an allocation cannot be shared; the program hears it.
"$1" run --gpu gtx1080ti --memcheck -- "$2" >"$work/stdout" 2>"$work/stderr" && fail "memcheck: handles of memory"
grep -q 'cudaIpcGetMemHandle with --memcheck' "$work/stderr" || fail "memcheck: not said"
exit 0
