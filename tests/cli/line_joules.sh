#!/bin/sh
# Do the joules of lines sum to the energy of their workload, for all workloads, with sampling, threads, mechanisms and a
# program, and is what has no lines an error that says why?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
program=$3
cd "$source"

# Energy by workload, of power.csv and of lines.csv; nothing may be left uncharged.
check() {
    dir=$1
    sed 's/"[^"]*"/text/g' "$dir/lines.csv" >"$work/lines"
    sed 's/"[^"]*"/text/g' "$dir/power.csv" >"$work/power"
    awk -F, 'FNR == 1 { file++; for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); at[$i] = i }; next }
        file == 1 && $at["component"] == "TOTAL" {
            want[$1] += $at["event_energy"] + $at["background_energy"] + $at["leakage_energy"] }
        file == 2 { got[$1] += $at["energy"] }
        END { for (w in want) { n++; d = got[w] / want[w] - 1; if (d > 1e-9 || d < -1e-9) { print w, want[w], got[w]; exit 1 } }
              if (n == 0) exit 1 }' "$work/power" "$work/lines" || fail "$2: lines do not sum to the energy of the workload"
    ! grep -q 'not charged' "$dir/lines.csv" || fail "$2: $(grep 'not charged' "$dir/lines.csv" | head -1)"
}

"$warpwatt" run --gpu gtx480 --workload all:small --profile --out "$work/all" --quiet
check "$work/all" "all workloads"
"$warpwatt" run --gpu h200 --workload matrixmul:small,bfs:small,pathfinder:small --profile --out "$work/one" --quiet
"$warpwatt" run --gpu h200 --workload matrixmul:small,bfs:small,pathfinder:small --profile --threads 2 --out "$work/two" --quiet
check "$work/one" "h200"
cmp "$work/one/lines.csv" "$work/two/lines.csv" || fail "threads change the joules of lines"
"$warpwatt" run --gpu gtx480 --workload vectoradd:std,bfs:small --sample fast:20% --profile --out "$work/sampled" --quiet
check "$work/sampled" "sampled"
# Every mechanism there is; DART's machine is one of lanes.
for mech in $("$warpwatt" list mechs | awk 'NR > 1 && $1 != "dart" { print $1 }'); do
    "$warpwatt" run --gpu gtx480 --mech "$mech" --workload matrixmul:small,spmv:small --profile --out "$work/$mech" --quiet
    check "$work/$mech" "$mech"
done
"$warpwatt" run --gpu gt200-dart --workload vectoradd:small --profile --out "$work/dart" --quiet
check "$work/dart" "dart"
grep -q '(mechanisms)' "$work/nlp/lines.csv" || fail "prefetches have no line"
"$warpwatt" run --gpu gtx580 --profile --out "$work/program" --quiet -- "$program" >/dev/null
check "$work/program" "a program"
# One without symbols has the same lines.
if command -v strip >/dev/null; then
    cp "$program" "$work/stripped" && strip "$work/stripped"
    "$warpwatt" run --gpu gtx580 --profile --out "$work/bare" --quiet -- "$work/stripped" >/dev/null
    check "$work/bare" "a stripped program"
    [ "$(wc -l <"$work/bare/lines.csv")" = "$(wc -l <"$work/program/lines.csv")" ] || fail "a stripped program has other lines"
    refuses 'lineinfo' "$warpwatt" analyze stalls "$work/bare" --lines --by source
    : >"$work/bare/lines.csv"
    refuses 'lines.csv:1:.*empty' "$warpwatt" analyze stalls "$work/bare" --lines
fi

# Folding and sorting keep the sum.
sum() {
    "$warpwatt" analyze stalls "$work/one" --lines --top 0 --json "$@" |
        awk '/"energy_uj"/ { gsub(",", "", $2); s += $2 } END { printf "%.4g\n", s }'
}
whole=$(sum)
[ "$(sum --by kernel)" = "$whole" ] && [ "$(sum --sort energy)" = "$whole" ] || fail "folding loses joules"
"$warpwatt" analyze stalls "$work/one" --lines --speedscope "$work/scope.json"
grep -q '"unit":"none"' "$work/scope.json" && grep -q '"LDSTU"' "$work/scope.json" || fail "the speedscope profile"

# What has no joules, or no lines.
"$warpwatt" run --gpu gtx480 --workload vectoradd:small --no-timing --profile --out "$work/untimed" --quiet
refuses 'no-timing' "$warpwatt" analyze stalls "$work/untimed" --lines --sort energy
refuses 'no-timing' "$warpwatt" analyze stalls "$work/untimed" --lines --speedscope "$work/none.json"
refuses 'lineinfo' "$warpwatt" analyze stalls "$work/program" --lines --by source
refuses '\-\-sort' "$warpwatt" analyze stalls "$work/one" --lines --sort joules
"$warpwatt" power --activity "$work/one/activity.xml" --gpu h200 --out "$work/foreign" --quiet >/dev/null
refuses 'lines.csv' "$warpwatt" analyze stalls "$work/foreign" --lines
