#!/bin/sh
# --max-instructions: a run ends at that many thread instructions of the program, with the same bytes on any number of threads,
# and says so; with a mechanism that removes work it ends at the same place, earlier in time or later.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
budget=200000
# Sum of a column of kernels.csv, by its name.
sum() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name) == 1) c = i; next } { s += $c } END { printf "%d\n", s }' "$1"
}
"$warpwatt" run --gpu gtx480 --workload hotspot --max-instructions $budget --out "$work/one" >/dev/null 2>"$work/said"
grep -q 'ended by its instruction budget' "$work/said" || fail "the end is not told"
"$warpwatt" run --gpu gtx480 --workload hotspot --max-instructions $budget --threads 4 --quiet --out "$work/four"
for file in kernels.csv power.csv activity.xml; do
    cmp "$work/one/$file" "$work/four/$file"
done
"$warpwatt" power --activity "$work/one/activity.xml" --quiet --out "$work/again"
cmp "$work/one/kernels.csv" "$work/again/kernels.csv"
"$warpwatt" run --gpu gtx480 --workload hotspot --mech uv --max-instructions $budget --quiet --out "$work/uv"
for run in one uv; do
    [ "$(sum "$work/$run/kernels.csv" cut)" -eq 1 ] || fail "$run: not one launch was cut"
    n=$(sum "$work/$run/kernels.csv" program_instructions)
    [ "$n" -ge $budget ] && [ "$n" -lt $((budget + 60000)) ] || fail "$run: ended at $n instructions"
done
"$warpwatt" run --gpu gtx480 --workload hotspot:small,vectoradd:small --max-instructions 100000000 --out "$work/whole" >/dev/null 2>"$work/said"
[ "$(grep -c 'match the CPU reference' "$work/said")" -eq 2 ] || fail "a budget that is not used up changes something"
for wrong in "--sample auto" --no-timing; do
    # shellcheck disable=SC2086
    refuses 'instruction budget' "$warpwatt" run --gpu gtx480 --workload hotspot:small --max-instructions 9 $wrong --quiet
done
