#!/bin/sh
# Does docs/extending.md work when it is followed to the letter? Its workload, counter, component, mechanism, instruction and command are added to a copy
# of the sources, which must build with them, run them and charge them, and pass their tests. (The generated schema is written by its target, as the page says.)
# What a block of the page does stands behind its language: file=PATH or append=PATH, insert=PATH before=TEXT (before the first line
# that holds the text), replace=PATH row=TEXT (that line).
. "$(dirname "$0")/../support/scratch.sh"
source=$1
tar -C "$source" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$work" -xf -
cd "$work"
mkdir mech/idle workloads/twice
awk '
function value(name) {
    return match($0, name "=[^ ]+") ? substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 1) : ""
}
function edit(path, text, drop,    line, all, done) {
    while ((getline line < path) > 0) {
        if (!done && index(line, text)) {
            all = all block
            done = 1
            if (drop) continue
        }
        all = all line "\n"
    }
    close(path)
    if (!done) { print path ": no line has \"" text "\"" > "/dev/stderr"; exit 1 }
    printf "%s", all > path
    close(path)
}
/^```/ {
    if (inside) {
        inside = 0
        if (out != "") printf "%s", block >> out
        else edit(path, text, drop)
        next
    }
    out = value("file") value("append")
    drop = value("replace") != ""
    path = value("insert") value("replace")
    text = value("before") value("row")
    inside = out != "" || path != ""
    block = ""
    next
}
inside { block = block $0 "\n" }' docs/extending.md
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DWW_WERROR=ON >/dev/null
cmake --build build --target generate-schema warpwatt test.mech.idle.test_idle test.ptx.forms.test_forms >build.log 2>&1 || { tail -30 build.log; exit 1; }
export WARPWATT_CONFIGS="$work/configs"
ctest --test-dir build -R '^mech/idle/test_idle$|^ptx/forms/test_forms$' >tests.log || { tail -30 tests.log; exit 1; }
grep -q '100% tests passed.* out of 2$' tests.log
test "$(build/cli/warpwatt threads --gpu gtx480)" = 23040
build/cli/warpwatt --help | grep -q '^ *threads '
build/cli/warpwatt list mechs | grep -q '^idle '
build/cli/warpwatt run --gpu gtx480 --workload twice:small --mech idle --set idle.entries=16 --quiet --out result
grep -q ',idle,ctas_per_instruction,0\.' result/mechanisms.csv
grep -q 'MECH.*idle' result/area.csv
grep -q '^MECH.*count' result/energy_events.csv || grep -q ',MECH,.*count' result/energy_events.csv
grep -q '^twice,twice,' result/kernels.csv
build/cli/warpwatt list components | grep -q '^DISP '
grep -q ',DISP,[^,]*CTA table,CTA,' result/energy_events.csv || grep -q 'DISP.*CTA table.*CTA' result/energy_events.csv
# (tid + 2^32 - 1) / 2: a sum of 33 bits.
build/cli/warpwatt run --gpu gtx580 --ptx avg.ptx --launch avg.xml --quiet --out mean
awk -F, 'NR > 1 { n++; if ($2 != int(($1 + 4294967295) / 2)) { print "wrong mean:", $0; bad = 1 } } END { exit bad || n != 32 }' mean/y.csv
build/cli/warpwatt run --gpu gtx580 --ptx avg.ptx --launch avg.xml --memcheck --quiet
# Of two warps at three barriers the one that comes first waits.
sed -e '/avg/d' -e 's/mul.wide.u32/bar.sync 0; bar.sync 0; bar.sync 0; mul.wide.u32/' -e 's/st.global.u32 \[%rd3\], %r2/st.global.u32 [%rd3], %r1/' avg.ptx >barriers.ptx
sed -e 's/count="32"/count="64"/' -e 's/block x="32"/block x="64"/' avg.xml >barriers.xml
build/cli/warpwatt run --gpu gtx580 --ptx barriers.ptx --launch barriers.xml --quiet --out barriers
awk -F'"' '/"sm.barrier.left"/ { n += $4 } END { if (n != 3) { print n, "warps left barriers"; exit 1 } }' barriers/activity.xml
