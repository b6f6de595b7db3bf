#!/bin/sh
# json.sh WARPWATT SOURCE: does every command that prints give one JSON document under --json, and nothing else on standard output?
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/../support/cli.sh"
one() {
    "$warpwatt" "$@" --json >out.json 2>err.txt || { fail "$*"; cat err.txt; return; }
    python3 -c 'import json, sys; json.load(open("out.json"))' 2>/dev/null ||
        { echo "not one document: $*"; head -n 3 out.json; failures=$((failures + 1)); }
}
"$warpwatt" run --gpu gtx580 --workload vectoradd:small,scan:small,bfs:small --profile --interval 1000 --out one --quiet
"$warpwatt" run --gpu gtx580 --workload vectoradd:small,scan:small,bfs:small --set sm.max_ctas=2 --out two --quiet
one run --gpu gtx580 --workload vectoradd:small
one run --gpu gtx580 --workload vectoradd:small,scan:small --no-timing
# Kernels with their cycles, and what all of them come to.
one run --gpu gtx580 --workload vectoradd:small,scan:small --out both
python3 - <<'EOF' || failures=$((failures + 1))
import csv, json
d = json.load(open("out.json"))
rows = list(csv.DictReader(open("both/kernels.csv")))
total = d["total"][0]
assert {k["kernel"] for k in d["kernels"]} == {r["kernel"] for r in rows}
assert sum(k["cycles"] for k in d["kernels"]) == total["cycles"] == sum(int(r["cycles [cycle]"]) for r in rows) > 0
assert total["launches"] == len(rows) and abs(sum(k["energy_uj"] for k in d["kernels"]) - total["energy_uj"]) < 0.2
assert abs(total["energy_uj"] / total["time_us"] - total["power_w"]) < 0.1 and total["plus_minus_w"] > 0
assert any(c["component"] == "total" for c in d["components"])
EOF
one power --activity one/activity.xml
one power --gpu gtx580 --describe
for table in metrics breakdown stalls categories correlate 'stalls --lines'; do
    # shellcheck disable=SC2086
    set -- $table
    what=$1
    shift
    one analyze "$what" one "$@"
done
one analyze compare one two
one report one two --out page.html
for what in gpus workloads mechs counters components operations maps; do
    one list $what
done
one config show gtx580
one config show gtx580 sm.count
one config check gtx580
one config check gtx580 gtx480
one config explain sm.count
one config explain sm.scheduler
one check "$source/docs/examples/saxpy.ptx"
one check --scalar "$source/docs/examples/saxpy.ptx"
one check --affine "$source/docs/examples/saxpy.ptx" "$source/workloads/bfs/bfs.ptx"
one check --redundancy "$source/docs/examples/saxpy.ptx" --block 16,16,1
one array --bytes 16KiB --word-bits 128
one array --list-structures
one area --gpu gtx580,gtx480
one validate area
one validate structures

# A wrong description is told in the document as well as by the exit code.
printf '<gpu name="x" extends="gtx580.xml" about="x" source="x"><sm><cont>3</cont></sm></gpu>\n' >wrong.xml
if "$warpwatt" config check gtx580 wrong.xml --json >out.json 2>/dev/null; then
    echo "a fault was not told"
    failures=$((failures + 1))
fi
python3 -c 'import json; d = json.load(open("out.json"))["descriptions"]; assert [x["state"] for x in d] == ["ok", "faulty"] and d[1]["fault"]'

# Names: tables have what people read, files what the program said.
cat >mangled.ptx <<'EOF'
.version 7.0
.target sm_20
.address_size 64
.visible .entry _ZN4demo5scaleIfLi4EEEvPT_i(.param .u64 y, .param .u32 n)
{
    .reg .b64 %rd<2>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
EOF
cat >mangled.xml <<'EOF'
<launches><buffer name="y" type="u32" count="4"/><launch kernel="_ZN4demo5scaleIfLi4EEEvPT_i"><grid x="1"/><block x="32"/><arg buffer="y"/><arg type="u32" value="4"/></launch></launches>
EOF
"$warpwatt" run --gpu gtx580 --ptx mangled.ptx --launch mangled.xml --out mangled >table.txt
grep -q ',_ZN4demo5scaleIfLi4EEEvPT_i,' mangled/kernels.csv
if ldconfig -p 2>/dev/null | grep -q libstdc++.so.6; then
    grep -q '^mangled.ptx  demo::scale ' table.txt || { echo "the name is not readable:"; head -n 2 table.txt; failures=$((failures + 1)); }
fi
finish
