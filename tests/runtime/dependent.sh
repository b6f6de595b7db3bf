#!/bin/sh
# Does --memcheck find a program's launch that may begin early and does not wait, in every stream, and no other?
# Usage: dependent.sh WARPWATT PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    cat "$work/out"
    exit 1
}

for stream in own default; do
    for how in waits ordered synchronized early; do
        code=0
        "$1" run --gpu h100 --no-timing --memcheck --quiet -- "$2" $stream $how >"$work/out" 2>&1 || code=$?
        grep -q 'dependent: PASSED' "$work/out" || fail "$stream $how: wrong values"
        if [ $how = early ]; then
            grep -q 'kernel hurries (launch 1): RAW hazard in global memory .*ld of 4 bytes by thread (0,0,0) .*st by thread (0,0,0) .*kernel first (launch 0)' "$work/out" ||
                fail "$stream $how: not found"
        elif [ $code -ne 0 ] || grep -q '^memcheck' "$work/out"; then
            fail "$stream $how: exit code $code"
        fi
    done
done
