#!/bin/sh
# validate_toggles.sh WARPWATT SOURCE: are the judged rows of `validate toggles` met, do runs of equal words keep the order that was
# measured, and are wrong energies and values that there are not told?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
table=$2/tests/validation/power/toggles.csv

"$warpwatt" validate toggles > "$work/all.txt" || fail "a judged row is missed"
awk '$2 == "runs" { e[$3] = $7 } END { exit !(e[8] > e[16] && e[16] > e[32] && e[32] > e[1] && e[32] > e[2] && e[32] > e[4]) }' \
    "$work/all.txt" || fail "runs of 8, 16 and 32 words are not in the order 8, 16, 32, the rest"

grep -E '^gpu,|,random,' "$table" | sed 's/,memory,0.789,/,memory,0.6,/' > "$work/wrong.csv"
misses MISSED "$warpwatt" validate toggles --reference "$work/wrong.csv"
test "$(grep -c MISSED "$work/out")" = 1 || fail "a wrong energy is not marked"

for wrong in 's/random,memory/runs 0,memory/' 's/random,memory/noise,memory/' 's/random,memory/random,moon/' 's/^h200/h2000/'; do
    grep -E '^gpu,|,random,memory' "$table" | sed "$wrong" > "$work/wrong.csv"
    refuses . "$warpwatt" validate toggles --reference "$work/wrong.csv"
done
