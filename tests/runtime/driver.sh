#!/bin/sh
# Does a program of the driver API alone run, in time and without, and its kernels of several streams at the same time?
# Usage: driver.sh WARPWATT PROGRAM
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
program=$2
run() {
    "$warpwatt" run --gpu gtx1080ti "$@" >"$work/stdout" 2>"$work/stderr"
}
for timing in "" --no-timing; do
    run $timing -- "$program" || fail "driver $timing: the program failed"
    grep -q 'driver: PASSED' "$work/stdout" || fail "driver $timing: the program did not end well"
done
run --out "$work/one" -- "$program" streams || fail "streams: the program failed"
[ "$(wc -l <"$work/one/kernels.csv")" -eq 4 ] || fail "streams: expected three launches"
run --concurrent --out "$work/all" -- "$program" streams || fail "concurrent streams: the program failed"
grep -q 'raise x3' "$work/all/kernels.csv" || fail "concurrent streams: expected one row"
exit 0
