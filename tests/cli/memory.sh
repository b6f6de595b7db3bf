#!/bin/sh
# Is every allocation that fails, in our code and in the libraries that it calls, an error and never a crash?
# memory.sh WARPWATT FAIL_MALLOC.so STEP [PROGRAM]: every STEP-th allocation of commands on small inputs fails, one in each run. A
# command must succeed when none fails: one that stops at its options would test nothing. STEP 1: of every command; PROGRAM is one that
# launches kernels when it is called as `PROGRAM stored`.
set -u
warpwatt=$1
library=$2
step=$3
program=${4:-}
source=$(dirname "$0")/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
runs=0
# Of a command that writes files, in as many runs.
every() {
    if ! FAIL_COUNT=1 LD_PRELOAD=$library "$@" >/dev/null 2>"$work/err"; then
        echo "fails with all its memory: $*: $(head -1 "$work/err")"
        failures=$((failures + 1))
        return
    fi
    total=$(sed -n 's/^allocations: //p' "$work/err" | sort -n | tail -n 1) # the program's and ours
    n=$((step - step / 2))
    before=$runs
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
    echo "$((runs - before)) of $total allocations fail: $*"
}
# Of one that writes none: all of them, in copies of one process.
all() {
    if ! FAIL_ALL=1 FAIL_COUNT=1 LD_PRELOAD=$library "$@" >/dev/null 2>"$work/err"; then
        echo "fails with all its memory: $*: $(grep -a -v ENOMEM "$work/err" | tail -n 1)"
        failures=$((failures + 1))
    fi
    total=$(sed -n 's/^allocations: //p' "$work/err" | tail -n 1)
    runs=$((runs + ${total:-0}))
    if grep -a '^allocation [0-9]*: ' "$work/err"; then
        echo "of $*"
        failures=$((failures + $(grep -a -c '^allocation [0-9]*: ' "$work/err")))
    fi
    echo "${total:-0} of ${total:-0} allocations fail: $*"
}
"$warpwatt" run --gpu gtx480 --workload vectoradd:small,scan:small --interval 500 --quiet --out "$work/base" || exit 1
{
    echo 'activity,kernel,component,measured,sigma,source'
    for rate in fp32_fma integer fp32_add fp32_mul; do
        echo "rates,$rate=1,RF,2.50 pJ/sm.rf.read.lanes + 2.14 pJ/sm.rf.write.lanes,0.3,test"
    done
} >"$work/measured.csv"
asked=$step
[ "$step" -gt 7 ] && step=7 # GSL allocates within a fit, few times beside what is allocated before
every "$warpwatt" calibrate "$work/measured.csv" --gpu qv100 --uncertainty "$work/sigma.csv"
step=$asked
all "$warpwatt" config check gtx580
all "$warpwatt" config show gtx480 --json
all "$warpwatt" array --bytes 4KiB --word-bits 128 --node 40nm
all "$warpwatt" array --kind cache --bytes 16KiB --line 128 --ways 4 --node 40nm --json
every "$warpwatt" power --activity "$work/base/activity.xml" --quiet --out "$work/power" --force
all "$warpwatt" power --gpu gtx580 --describe --json
every "$warpwatt" report "$work/base" --out "$work/report.html" --quiet
every "$warpwatt" report "$work/base" "$work/base" --out "$work/compared.html" --quiet
every "$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out "$work/run" --force
all "$warpwatt" analyze metrics "$work/base"
all "$warpwatt" analyze breakdown "$work/base" --json
[ "$step" -gt 1 ] && { echo "$runs runs, $failures crashes"; [ $failures -eq 0 ]; exit; }
cat >"$work/sweep.xml" <<'XML'
<sweep name="memory"><configuration name="base" gpu="gtx480"/><workload name="vectoradd" size="small"/></sweep>
XML
all "$warpwatt" analyze stalls "$work/base"
all "$warpwatt" analyze compare "$work/base" "$work/base"
all "$warpwatt" analyze correlate "$work/base"
all "$warpwatt" analyze categories "$work/base"
all "$warpwatt" list workloads --json
all "$warpwatt" list counters
all "$warpwatt" config explain sm.scheduler
all "$warpwatt" area --gpu gtx580
all "$warpwatt" list mechs --markdown
all "$warpwatt" list components
all "$warpwatt" list operations
all "$warpwatt" list maps
all "$warpwatt" list models
all "$warpwatt" explain "$work/base" "$work/base"
all "$warpwatt" check "$source/workloads/streamcluster/streamcluster.ptx"
all "$warpwatt" check --affine "$source/workloads/streamcluster/streamcluster.ptx"
all "$warpwatt" run --gpu gtx580 --ptx "$source/docs/examples/saxpy.ptx" --launch "$source/docs/examples/saxpy.xml" --quiet
all "$warpwatt" validate structures
all "$warpwatt" --man
all "$warpwatt" --completion zsh
cat >"$work/pass.csv" <<'CSV'
operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count
softmax,,bf16,64,64,,,,2
CSV
all "$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --cache off --quiet
# Other machines, mechanisms and options.
all "$warpwatt" run --gpu qv100 --workload vectoradd:small --interval 500 --quiet
all "$warpwatt" run --gpu gtx580 --workload scan:small --mech nlp --quiet
all "$warpwatt" run --gpu gtx480 --workload matrixmul:small --mech uv --quiet
all "$warpwatt" run --gpu gtx1080ti --workload vectoradd:small --memcheck --json
all "$warpwatt" run --gpu gtx480 --workload bfs:small --isa ptx --quiet
# Those that read every description.
all "$warpwatt" list gpus
all "$warpwatt" list sweeps
# Those that write files, and those that start others.
every "$warpwatt" explain "$work/base" "$work/base" --out "$work/explained.html"
every "$warpwatt" sweep "$work/sweep.xml" --out "$work/swept" --task 0/1 --quiet
every "$warpwatt" sweep "$work/sweep.xml" --out "$work/swept" --status
every "$warpwatt" run --gpu gtx480 --workload vectoradd:small --mech uv --profile --quiet --out "$work/profiled" --force
[ -z "$program" ] || every "$warpwatt" run --gpu gtx580 --quiet --out "$work/run" --force -- "$program" stored
echo "$runs runs, $failures crashes"
[ $failures -eq 0 ]
