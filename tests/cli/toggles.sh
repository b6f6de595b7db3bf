#!/bin/sh
# Does --toggles change energies alone, the same way on any number of threads, and do lines still sum to the energy; does a run
# without it say what it assumes?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
cd "$2"

run() {
    name=$1
    shift
    "$warpwatt" run --gpu gtx480 --out "$work/$name" "$@" >"$work/$name.text" 2>/dev/null
}
run plain --workload matrixmul:small,bfs:small --profile
run one --workload matrixmul:small,bfs:small --profile --toggles
run three --workload matrixmul:small,bfs:small --profile --toggles --threads 3
grep -v '"[a-z]*\.values\.' "$work/one/activity.xml" >"$work/without.xml"
cmp "$work/plain/activity.xml" "$work/without.xml" || fail "--toggles changes other counters"
grep -q '"sm.values.rf.read.switched"' "$work/one/activity.xml" || fail "nothing is counted"
# What matrix units counted as sm.values.mma was another thing: a file that has it is refused by that name.
sed 's/"sm.values.rf.read.switched"/"sm.values.mma.f16.switched"/' "$work/one/activity.xml" >"$work/older.xml"
refuses "older.xml:[0-9]*: error: unknown counter 'sm.values.mma.f16.switched'" "$warpwatt" power --activity "$work/older.xml" --quiet --out "$work/older"
sed 's/"sm.values.rf.read.switched"/"sm.values.mma_factors_sums.f16.switched"/' "$work/one/activity.xml" >"$work/today.xml"
"$warpwatt" power --activity "$work/today.xml" --quiet --out "$work/today" 2>"$work/why" || fail "a count of matrix units: $(cat "$work/why")"
cmp "$work/one/activity.xml" "$work/three/activity.xml" || fail "threads change what is counted"
cmp "$work/one/lines.csv" "$work/three/lines.csv" || fail "threads change the lines"
cmp -s "$work/one/power.csv" "$work/plain/power.csv" && fail "energies are the same"
grep -q 'half of all bits switch, as assumed' "$work/plain.text" || fail "what is assumed is not said"
grep -q 'bits that switch are counted' "$work/one.text" || fail "what is counted is not said"

# An activity file has what power needs; without the bits, it is the energy of the assumed activity.
"$warpwatt" power --activity "$work/one/activity.xml" --gpu gtx480 --out "$work/again" --quiet >/dev/null
cmp "$work/one/power.csv" "$work/again/power.csv" || fail "an activity file loses the bits"
"$warpwatt" power --activity "$work/without.xml" --gpu gtx480 --out "$work/assumed" --quiet >/dev/null
cmp "$work/plain/power.csv" "$work/assumed/power.csv" || fail "a file without bits is not of the assumed activity"

# The assumed activity, counted, costs what it costs without counting: half of what is compared, no bit inside of a stack of DRAM,
# and the zeros that random bytes leave behind bus inversion.
dynamic() { sed 's/"[^"]*"/text/g' "$work/$1/power.csv" | awk -F, '$4 == "TOTAL" { j += $5 + $6 } END { printf "%.9g", j }'; }
assumed() {
    plain=$1 counted=$2 gpu=$3
    awk -F'"' '/\.switched"/ { name = $2; held = $0; next }
        held != "" { half = name ~ /pairs/ ? 0 : name ~ /zeros/ ? $4 * 837 / 2048 : $4 / 2
            sub(/value="[0-9]*"/, sprintf("value=\"%d\"", half + 0.5), held); print held; held = "" }
        { print }' "$work/$counted/activity.xml" >"$work/half.xml"
    grep -c 'switched' "$work/half.xml" | grep -qx "$(grep -c 'switched' "$work/$counted/activity.xml")" || fail "counters are lost"
    "$warpwatt" power --activity "$work/half.xml" --gpu "$gpu" --out "$work/half" --force --quiet >/dev/null
    awk -v a="$(dynamic "$plain")" -v b="$(dynamic half)" 'BEGIN { d = b / a - 1; exit !(a > 0 && d < 1e-3 && d > -1e-3) }' ||
        fail "$gpu: the assumed activity costs $(dynamic half) J counted, $(dynamic "$plain") J assumed"
}
assumed plain one gtx480
# … of matrix units, a stack of DRAM and an L2 of two parts, too.
for name in stack stack-counted; do
    toggles=--toggles
    [ "$name" = stack ] && toggles=
    # shellcheck disable=SC2086
    "$warpwatt" run --gpu h200 --workload bfs:small,hopper-matmul:small $toggles --quiet --out "$work/$name"
done
grep -q '"sm.values.mma_factors_sums.[a-z0-9]*.switched"' "$work/stack-counted/activity.xml" || fail "no matrix unit counts"
assumed stack stack-counted h200

# Energy by workload, of power.csv and of lines.csv; nothing may be left uncharged.
check() {
    sed 's/"[^"]*"/text/g' "$work/$1/lines.csv" >"$work/lines"
    sed 's/"[^"]*"/text/g' "$work/$1/power.csv" >"$work/power"
    awk -F, 'FNR == 1 { file++; for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); at[$i] = i }; next }
        file == 1 && $at["component"] == "TOTAL" {
            want[$1] += $at["event_energy"] + $at["background_energy"] + $at["leakage_energy"] }
        file == 2 { got[$1] += $at["energy"] }
        END { for (w in want) { n++; d = got[w] / want[w] - 1; if (d > 1e-9 || d < -1e-9) { print w, want[w], got[w]; exit 1 } }
              if (n == 0) exit 1 }' "$work/power" "$work/lines" || fail "$1: lines do not sum to the energy of the workload"
    ! grep -q 'not charged' "$work/$1/lines.csv" || fail "$1: $(grep 'not charged' "$work/$1/lines.csv" | head -1)"
}
check one
run sampled --workload vectoradd:std --sample fast:20% --profile --toggles
check sampled
for mech in nlp dac pmode; do
    "$warpwatt" list mechs | grep -q "^$mech " || continue
    run $mech --mech $mech --workload matrixmul:small --profile --toggles
    check $mech
done
"$warpwatt" explain "$work/plain" "$work/one" --top 0 >"$work/explained" || fail "explain"
grep -q 'values' "$work/explained" || fail "explain does not name the values"
refuses --no-timing "$warpwatt" run --gpu gtx480 --workload bfs:small --no-timing --toggles --quiet
