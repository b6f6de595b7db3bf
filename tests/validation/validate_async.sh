#!/bin/sh
# validate_async.sh WARPWATT SOURCE: are the judged rows of `validate async` met, and are wrong intervals, wrong latencies and rows
# that name nothing told? Rows that are only shown are left out: they take minutes.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
table=$2/tests/validation/cycles/async.csv

grep -E '^gpu,|,(interval|latency|power),' "$table" > "$work/judged.csv"
"$warpwatt" validate async --reference "$work/judged.csv" > "$work/judged.txt" || fail "a judged row is missed"
grep -q 'mean absolute error of 3[0-9] measured latencies' "$work/judged.txt" || fail "the latencies are not summed up"
grep -q 'f32.tf32.tf32  *cycle  *128.0  *128.0' "$work/judged.txt" || fail "no interval of tf32"

# Intervals are met to the cycle.
grep -E '^gpu,|,interval,' "$table" | sed 's/,interval,128,/,interval,129,/' > "$work/interval.csv"
misses MISSED "$warpwatt" validate async --reference "$work/interval.csv"
test "$(grep -c MISSED "$work/out")" = 6 || fail "wrong intervals are not marked"

# Latencies in their mean: a sixth more than a card shows is too much.
grep -E '^gpu,|,object_|,probe,' "$table" | awk -F, -v OFS=, '{ for (i = 1; i < NF; i++) if ($(i + 1) == "cycle" && $i + 0 > 0) $i *= 1.17 } { print }' > "$work/late.csv"
misses 'measured latencies: .* MISSED' "$warpwatt" validate async --reference "$work/late.csv"

# The power of a loop by its own: a board that draws a quarter more.
grep -E '^gpu,|,mma_rate,.*,power,' "$table" | sed 's/,16,0,watt,188.6,/,4,0,watt,235.8,/' > "$work/power.csv"
misses 'mma.sync loop of zeros.* MISSED' "$warpwatt" validate async --reference "$work/power.csv"

for wrong in 's/,object_wait,/,object_nothing,/' 's/,later,43,/,sooner,43,/' 's/,1,0,1,0,9,0,later,43,/,1,0,1,0,1,0,later,43,/' 's/,1,0,1,0,9,0,later,43,/,1,0,1,0.5,9,0,later,43,/'; do
    grep -E '^gpu,|,object_wait,' "$table" | sed "$wrong" > "$work/wrong.csv"
    refuses . "$warpwatt" validate async --reference "$work/wrong.csv"
done
for clock in -5 99; do
    grep -E '^gpu,|,mma_rate,.*,power,' "$table" | sed "s/,W,1562,/,W,$clock,/" > "$work/wrong.csv"
    refuses 'clock' "$warpwatt" validate async --reference "$work/wrong.csv"
done
grep 'm64n64k16.f32.bf16.bf16,product' "$table" | sed 's/m64n64/m64n63/' > "$work/row.csv"
{ head -n 1 "$table"; cat "$work/row.csv"; } > "$work/wrong.csv"
refuses 'no product of a warp group' "$warpwatt" validate async --reference "$work/wrong.csv"
