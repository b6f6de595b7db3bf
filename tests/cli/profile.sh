#!/bin/sh
# Does --profile change nothing but add lines.csv, whose lines sum to the counters, and do tables and report show them?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
cd "$source"

"$warpwatt" run --gpu gtx480 --workload bfs:small,pathfinder:small --out "$work/plain" --quiet
"$warpwatt" run --gpu gtx480 --workload bfs:small,pathfinder:small --profile --out "$work/one" --quiet
"$warpwatt" run --gpu gtx480 --workload bfs:small,pathfinder:small --profile --threads 3 --out "$work/three" --quiet
cmp "$work/plain/activity.xml" "$work/one/activity.xml" || fail "a profile changes the counters"
cmp "$work/one/lines.csv" "$work/three/lines.csv" || fail "threads change the profile"
[ ! -f "$work/plain/lines.csv" ] || fail "a profile that nobody asked for"

# The table of kernels has the same shares as the lines sum to.
"$warpwatt" analyze stalls "$work/one" --json >"$work/kernels"
"$warpwatt" analyze stalls "$work/one" --lines --top 0 --json >"$work/lines"
awk '/"kernel"/ { kernel = $2 } /"slots"/ { gsub(",", "", $2); want[kernel] += $2 }
    FNR == NR { next }
    /"(issued|raw_long|raw_short|lsu_full|sp_full|sfu_full|ibuffer_empty|barrier|no_warp)"/ { gsub(",", "", $2); got[kernel] += $2 }
    END { for (k in want) { n++; if (want[k] != got[k]) { print k, want[k], got[k]; exit 1 } } if (n != 3) { print n, "kernels"; exit 1 } }' \
    "$work/kernels" "$work/lines" || fail "the lines do not sum to their kernels"

"$warpwatt" analyze stalls "$work/one" --lines --top 3 >"$work/table"
[ "$(grep -c '^bfs.ptx:[0-9]' "$work/table")" -le 6 ] || fail "--top 3 shows more"
grep -q 'ld.global.u8' "$work/table" || fail "the load that the kernel waits for is not shown"
"$warpwatt" report "$work/one" --out "$work/page.html" --quiet
grep -q 'Where kernels wait' "$work/page.html" && grep -q 'ld.global' "$work/page-files/lines.csv" || fail "the report lacks the lines"
# Its energy shares are of one whole, which the rows that no line causes are part of, and these are named beside their place.
python3 - "$work/lines" "$work/page-files/lines.csv" <<'CHECK' || fail "the report's shares"
import csv, json, sys
whole, named, seen = {}, set(), 0
for line in json.load(open(sys.argv[1]))["lines"]:
    whole[line["workload"]] = whole.get(line["workload"], 0) + line["energy_uj"]
rows = list(csv.reader(open(sys.argv[2])))
head = rows[0]
if head[2:4] != ["line", "text"] or "source" in head: sys.exit(f"columns {head}")
for row in (dict(zip(head, r)) for r in rows[1:]):
    energy, share = float(row["energy [uJ]"]), float(row["energy share [%]"])
    want = 100 * energy / whole[row["workload"]]
    if abs(share - want) > 1e-3: sys.exit(f"{row['workload']} {row['text']}: {share} % is not {want}")
    if not row["kernel"]: named.add(row["text"])
    seen += share > 1
if seen < 4 or not {"(static)", "(standby)"} <= named: sys.exit(f"{seen} rows, {named}")
CHECK
refuses '--profile' "$warpwatt" analyze stalls "$work/plain" --lines

# A PTX file of one's own.
"$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch docs/examples/saxpy.xml --profile --out "$work/own" --quiet
"$warpwatt" analyze stalls "$work/own" --lines >"$work/table"
line=$(grep -n 'fma.rn.f32' docs/examples/saxpy.ptx | cut -d: -f1)
grep -qE "^saxpy.ptx:$line .*raw_long .*fma.rn.f32 %f4, %f2, %f1, %f3;" "$work/table" || fail "the fma that waits for its loads is not shown"
