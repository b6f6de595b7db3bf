#!/bin/sh
# Does the command keep its promises: exit codes, located messages, suggestions, help for everything?
set -u
warpwatt=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE PATTERN ARGUMENTS...: exit code, and a pattern in what it says.
expect() {
    code=$1
    pattern=$2
    shift 2
    "$warpwatt" "$@" >"$work/out" 2>&1
    got=$?
    if [ $got -ne "$code" ] || ! grep -q -- "$pattern" "$work/out"; then
        echo "warpwatt $*: exit $got (expected $code), looked for '$pattern' in:"
        sed 's/^/    /' "$work/out" | head -20
        failures=$((failures + 1))
    fi
}

expect 2 'usage: warpwatt'
expect 0 'usage: warpwatt' --help
expect 0 'warpwatt [0-9]' --version
expect 0 '.TH WARPWATT' --man
expect 2 "did you mean 'run'" rnu
for command in run power analyze list config check; do
    expect 0 'examples:' $command --help
    # The texts of options wrap, and begin in one column, whatever bytes their arguments have.
    sed -n '/^options:/,/^examples:/p' "$work/out" >"$work/options"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$work/options")" -le 100 ] || {
        echo "$command --help: lines of more than 100 columns"
        failures=$((failures + 1))
    }
    LC_ALL=C.UTF-8 grep '^  --' "$work/options" | LC_ALL=C.UTF-8 grep -v '^  .\{24\} [^ ]' | grep ' .*  ' && {
        echo "$command --help: a text out of its column"
        failures=$((failures + 1))
    }
    expect 2 'has no option --nonsense' $command --nonsense
done
expect 2 'needs --gpu' run
expect 2 'either --workload' run --gpu gtx480
expect 2 'go together' run --gpu gtx480 --ptx x.ptx
expect 1 "did you mean 'gtx480'" run --gpu gtx481 --workload vectoradd
expect 1 "did you mean 'backprop'" run --gpu gtx480 --workload backprob
expect 2 'lowered, gt200 or ptx' run --gpu gtx480 --workload vectoradd --isa sass
expect 2 'whole number' run --gpu gtx480 --workload vectoradd --interval often
expect 2 'KEY=VALUE' run --gpu gtx480 --workload vectoradd:small --set sm.count
expect 1 'sm.schedulers' run --gpu gtx480 --workload vectoradd:small --set sm.schedulrs=2
expect 1 'sm.schedulers' run --gpu gtx480 --workload vectoradd:small --set sm.schedulers=99
expect 1 'max-cycles\|cycles' run --gpu gtx480 --workload vectoradd:small --max-cycles 10

printf '<gpu name="x" extends="gtx480.xml" source="test">\n  <sm>\n    <cuont>3</cuont>\n  </sm>\n</gpu>\n' >"$work/bad.xml"
cp "$source"/configs/gpu/*.xml "$work"
# All faults of a description are named, and those of every file.
cat >"$work/many.xml" <<'XML'
<gpu name="x" extends="gtx480.xml" source="test">
  <sm>
    <count>x</count>
    <cuont>3</cuont>
    <max_ctas>999999</max_ctas>
  </sm>
  <nonsense/>
  <l1d><ways>0</ways></l1d>
</gpu>
XML
for line in 3 4 5 7 8; do
    expect 1 "many.xml:$line: error" config check "$work/many.xml" "$work/bad.xml"
done
expect 1 'bad.xml:3: error' config check "$work/many.xml" "$work/bad.xml"
expect 1 'many.xml: error: 5 faults' config check "$work/many.xml" "$work/bad.xml"
expect 1 'bad.xml:3' config check "$work/bad.xml"
# legal, and hardly meant: an L2 whose misses cannot carry the bandwidth
expect 0 'gtx480: warning: l2.mshr_entries lets 3.0 KiB be on the way' config check gtx480 --set l2.mshr_entries=8
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  frobnicate.u32 %%r1;\n  ret;\n}\n' >"$work/bad.ptx"
expect 1 'bad.ptx' check "$work/bad.ptx"
expect 1 '6' check "$work/bad.ptx"
# the streams that dac makes with the values of its room, although no mechanism is switched on
expect 0 'decoupled: 6 loads, 2 stores, 0 other accesses, 3 predicates; beyond limits: 0 by depth' check --affine --quiet "$source/workloads/streamcluster/streamcluster.ptx"
expect 0 'decoupled: 0 loads.*by depth' check --affine --quiet --set dac.stack=1 "$source/workloads/streamcluster/streamcluster.ptx"
printf '<activity><launch></activity>' >"$work/bad.xml"
expect 1 'bad.xml:1' power --activity "$work/bad.xml"
expect 1 'nowhere' power --activity "$work/nowhere.xml"
printf '<activity schema="1" gpu="gtx580"></activity>' >"$work/lacks.xml"
expect 1 "lacks the attribute 'config_hash'" power --activity "$work/lacks.xml"
# Mistakes in a launch file are located there.
sed 's/kernel="saxpy"/kernel="saxyp"/' "$source/docs/examples/saxpy.xml" >"$work/name.xml"
expect 1 'name.xml:[1-9][0-9]*: error' run --gpu gtx480 --ptx "$source/docs/examples/saxpy.ptx" --launch "$work/name.xml"
sed "s/block x=.256./block x=\"4096\"/" "$source/docs/examples/saxpy.xml" >"$work/block.xml"
expect 1 'block.xml:[1-9][0-9]*: error' run --gpu gtx480 --ptx "$source/docs/examples/saxpy.ptx" --launch "$work/block.xml"
expect 1 'nowhere' analyze metrics "$work/nowhere"
expect 2 "has no table 'graphs'" analyze graphs "$work"

expect 0 'gtx1080ti' list gpus
expect 0 'darsie' list mechanisms
expect 2 'behind --' run --gpu gtx480 ./prog
expect 0 'paper-caps' list sweeps
expect 1 'see: warpwatt list sweeps' sweep nowhere --out "$work/nowhere"
expect 0 'backprop' list workloads
expect 0 'hopper-matmul .* 9\.0$' list workloads
# A workload that an older GPU cannot run is an error that says which can; of all of them it is left out.
expect 1 'hopper-matmul needs compute capability 9.0, GeForce GTX 480 has 2.0; these run it: h100' run --gpu gtx480 --workload vectoradd:small,hopper-matmul:small --no-timing
expect 0 'note: hopper-matmul is left out: it needs compute capability 9.0' run --gpu gtx480 --workload all:small --no-timing
expect 0 'sm.rf.read' list counters
expect 0 'LDSTU' list components
expect 0 'mbarrier' list operations
expect 0 '"counters"' list counters --json
expect 2 "did you mean 'gpus'" list gpu
expect 0 'sm.schedulers' config show gtx580 sm
expect 0 'gtx580-d553.xml' config show gtx580-d553 clock
expect 0 'set' config show gtx580 sm.max_ctas --set sm.max_ctas=16
expect 0 'gto' config explain sm.scheduler
expect 0 'of: one L2 slice' config explain l2.bytes
expect 0 'range: 0 to 268435456' config explain l2.bytes
expect 1 "did you mean" config explain sm.schedular
expect 0 'Register\|register' power --gpu gtx580 --describe

# Tables and page from result folders.
"$warpwatt" run --gpu gtx580 --workload matrixmul:small,backprop:small --quiet --out "$work/base"
"$warpwatt" run --gpu gtx580 --workload matrixmul:small,backprop:small --set sm.scheduler=lrr --quiet --out "$work/lrr"
expect 0 'matrixMul' analyze metrics "$work/base"
expect 0 'static' analyze breakdown "$work/base"
expect 0 'IPC' analyze correlate "$work/base"
mkdir "$work/both"
cp -r "$work/base" "$work/both/one"
cp -r "$work/lrr" "$work/both/other"
expect 0 'matrixMul' analyze metrics "$work/both"
[ "$("$warpwatt" analyze stalls "$work/both" | grep -c matrixMul)" -eq 4 ] || {
    echo "a folder of results is not taken as its results"
    failures=$((failures + 1))
}
# The activity of one machine on another: the user's mistake, not an internal error.
expect 1 'does not fit the GPU' power --activity "$work/base/activity.xml" --gpu gtx480 --set sm.count=14
# A run's powers are those of its machine, however it was changed.
"$warpwatt" run --gpu gtx580 --workload vectoradd:small --set chip.temperature_k=360 --out "$work/hot" >"$work/printed"
"$warpwatt" analyze breakdown "$work/hot" >"$work/analyzed"
[ "$(grep '^total' "$work/printed")" = "$(grep '^total' "$work/analyzed")" ] || {
    echo "analyze breakdown has other powers than its run"
    failures=$((failures + 1))
}
expect 2 'warpwatt power --activity' analyze breakdown "$work/hot" --set chip.temperature_k=300
expect 0 'low' analyze categories "$work/base"
expect 0 'geometric mean' analyze compare "$work/base" "$work/lrr"
expect 0 'report.html' report "$work/base" --out "$work/report.html"
expect 0 'two.html' report "$work/base" "$work/lrr" --out "$work/two.html"
grep -q '^lrr,sm.scheduler,lrr,gto,$' "$work/two-files/differences.csv" || { echo "a comparison does not say what differs"; failures=$((failures + 1)); }
expect 0 'pages/report.html' report "$work/base" --out "$work/new/pages/report.html"
for tag in '<svg' 'prefers-color-scheme' '@media print' 'matrixMul'; do
    grep -q "$tag" "$work/report.html" || { echo "the report lacks $tag"; failures=$((failures + 1)); }
done
if grep -qE '(src|href)="https?:' "$work/report.html"; then
    echo "the report refers to the network"
    failures=$((failures + 1))
fi

exit $failures
