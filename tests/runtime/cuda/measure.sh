#!/bin/sh
# Do the microbenchmarks of tools/measure compile, run in the simulator, and give an activity that a calibration reads? A row per
# launch, as the program on a card writes them, here with powers of our own.
# Usage: measure.sh NVCC WARPWATT SOURCE
. "$(dirname "$0")/../../support/scratch.sh"
nvcc=$1
warpwatt=$2
source=$3/tools/measure
"$nvcc" -std=c++17 -O2 -arch=compute_75 -cudart shared -o "$work/measure" "$source/measure.cu" -ldl
if "$work/measure" 0.01 >"$work/no-card" 2>&1; then echo "a card is here"; fi
"$warpwatt" run --gpu gt240 --quiet --out "$work/ubench" -- "$work/measure" --once >"$work/stdout"
benches=$(sed -n 's/^\([0-9]*\) microbenchmarks$/\1/p' "$work/stdout")
[ "$benches" -ge 60 ] || fail "$benches microbenchmarks, expected 60"
[ "$(wc -l <"$work/ubench/kernels.csv")" -eq $((benches + 1)) ] || fail "not a launch for each microbenchmark"
# Powers of the model itself, with integer lanes that spend twice as much: the fit must find that.
quiet="--gpu gt240 --set sm.kernel_launch_cycles=0"
"$warpwatt" power $quiet --activity "$work/ubench/activity.xml" --set power.int_factor=2 --out "$work/twice" --quiet
awk -F, 'BEGIN { print "activity,kernel,component,measured,sigma,source"; print "prior,,int_factor,1,1,assumed"; print "prior,,fp32_factor,1,1,assumed" }
    $4 == "TOTAL" { n = seen[$2]++; printf "ubench/activity.xml,%s%s,TOTAL,%s W,0.02,own\n", $2, n ? "#" n : "", $9 }' "$work/twice/power.csv" >"$work/card.csv"
"$warpwatt" calibrate "$work/card.csv" --gpu gt240 --results "$work" >"$work/fit"
awk '$1 == "power.int_factor" { found = 1; if ($3 < 1.95 || $3 > 2.05) found = 0 } END { exit !found }' "$work/fit" || { head -5 "$work/fit"; fail "the factor was not found again"; }
# A row may name the program itself, where that is allowed.
sed "s|^ubench/activity.xml,|-- $work/measure --once,|" "$work/card.csv" >"$work/program.csv"
"$warpwatt" calibrate "$work/program.csv" --gpu gt240 --allow-programs | sed '/microbenchmarks$/d' >"$work/fit-program"
cmp "$work/fit" "$work/fit-program" || fail "a program's rows are fitted otherwise than those of its activity"
# What the program knows before is what a calibration takes.
{ "$work/measure" --priors 54.9 80; echo "rates,idle,TOTAL,54.9 W,0.05,own"; } >"$work/whole.csv"
"$warpwatt" calibrate "$work/whole.csv" --gpu qv100 >"$work/fit-whole" || fail "the program's priors were not taken"
[ "$(grep -c '^power[.]' "$work/fit-whole")" -ge 19 ] || fail "not all of what the program knows before is fitted"
