#!/bin/sh
# Is every allocation that fails, in our code and in the libraries that it calls, an error and never a crash?
# memory.sh WARPWATT FAIL_MALLOC.so STEP: every STEP-th allocation of commands on small inputs fails, one in each run. A command must
# succeed when none fails: one that stops at its options would test nothing.
set -u
warpwatt=$1
library=$2
step=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
runs=0
every() {
    if ! FAIL_COUNT=1 LD_PRELOAD=$library "$@" >/dev/null 2>"$work/err"; then
        echo "fails with all its memory: $*: $(head -1 "$work/err")"
        failures=$((failures + 1))
        return
    fi
    total=$(sed -n 's/^allocations: //p' "$work/err")
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
every "$warpwatt" config show gtx480 --json
every "$warpwatt" array --bytes 4KiB --word-bits 128 --node 40nm
every "$warpwatt" array --kind cache --bytes 16KiB --line 128 --ways 4 --node 40nm --json
every "$warpwatt" power --activity "$work/base/activity.xml" --quiet --out "$work/power" --force
every "$warpwatt" power --gpu gtx580 --describe --json
every "$warpwatt" report "$work/base" --out "$work/report.html" --quiet
every "$warpwatt" report "$work/base" "$work/base" --out "$work/compared.html" --quiet
every "$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out "$work/run" --force
[ "$step" -gt 1 ] && { echo "$runs runs, $failures crashes"; [ $failures -eq 0 ]; exit; }
# The long list: other machines, mechanisms and options.
every "$warpwatt" run --gpu qv100 --workload vectoradd:small --interval 500 --quiet --out "$work/run" --force
every "$warpwatt" run --gpu gtx580 --workload scan:small --mech nlp --quiet --out "$work/run" --force
every "$warpwatt" run --gpu gtx480 --workload matrixmul:small --mech uv --profile --quiet --out "$work/run" --force
every "$warpwatt" run --gpu gtx1080ti --workload vectoradd:small --memcheck --json --out "$work/run" --force
every "$warpwatt" run --gpu gtx480 --workload bfs:small --isa ptx --quiet --out "$work/run" --force
echo "$runs runs, $failures crashes"
[ $failures -eq 0 ]
