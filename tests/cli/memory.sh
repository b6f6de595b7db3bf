#!/bin/sh
# Is every allocation that fails, in our code and in the libraries that it calls, an error and never a crash?
# memory.sh WARPWATT FAIL_MALLOC.so STEP: every STEP-th allocation of five commands on small inputs fails, one in each run.
set -u
warpwatt=$1
library=$2
step=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
runs=0
every() {
    total=$(FAIL_COUNT=1 LD_PRELOAD=$library "$@" 2>&1 >/dev/null | sed -n 's/^allocations: //p')
    [ -n "$total" ] || { echo "no count of $*"; failures=1; return; }
    n=$((step - step / 2))
    while [ $n -le "$total" ]; do
        FAIL_AT=$n LD_PRELOAD=$library "$@" >/dev/null 2>"$work/err"
        code=$?
        runs=$((runs + 1))
        if [ $code -ge 128 ]; then
            echo "allocation $n of $total fails: exit code $code of $*"
            failures=$((failures + 1))
        fi
        n=$((n + step))
    done
}
"$warpwatt" run --gpu gtx480 --workload vectoradd:small --interval 500 --quiet --out "$work/base" || exit 1
every "$warpwatt" config check gtx580
every "$warpwatt" array --kind cache --bytes 16384 --word-bits 256 --assoc 4 --node 40
every "$warpwatt" power --activity "$work/base/activity.xml" --quiet --out "$work/power" --force
every "$warpwatt" report "$work/base" --out "$work/report.html" --quiet
every "$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out "$work/run" --force
echo "$runs runs, $failures crashes"
[ $failures -eq 0 ]
