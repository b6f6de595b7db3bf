#!/bin/sh
# Do programs of older CUDA versions find the runtime of their version, by name and by symbol version, and run unmodified?
# Usage: cuda11_12.sh WARPWATT PROGRAM SONAME
. "$(dirname "$0")/../support/scratch.sh"
if command -v objdump >/dev/null; then
    objdump -p "$2" >"$work/headers"
    grep -q "NEEDED *$3\$" "$work/headers" || fail "the program does not name $3"
    grep -A3 "required from $3" "$work/headers" | grep -q "[0-9] $3\$" || fail "no symbol version $3"
fi
for timing in "" --no-timing; do
    "$1" run --gpu gtx580 $timing -- "$2" >"$work/stdout" 2>"$work/stderr" || fail "$3 $timing: the program failed"
    grep -q ': PASSED' "$work/stdout" || fail "$3 $timing: the program did not end well"
done
