#!/bin/sh
# Does a thin library compute what NVIDIA's would, in values and in codes, and are its launches in the results, with time and energy,
# and said to be on kernels of WarpWatt's own?
warpwatt=$1
program=$2
. "$(dirname "$0")/../../support/scratch.sh"
"$warpwatt" run --gpu gtx1080ti --no-timing -- "$program" >"$work/stdout" 2>"$work/stderr" || fail 'wrong results'
grep -q '^0 wrong' "$work/stdout" || fail 'wrong results'
"$warpwatt" run --gpu gtx1080ti --no-timing --memcheck -- "$program" timed >"$work/stdout" 2>"$work/stderr" || fail 'wrong accesses'
"$warpwatt" run --gpu gtx1080ti --out "$work/result" -- "$program" timed >"$work/stdout" 2>"$work/stderr" || fail 'wrong results in time'
grep -q "runs on a kernel of WarpWatt's own" "$work/stderr" || fail 'whose kernels run is not said'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } } NR > 1 && ($at["kernel"] !~ /^ww_/ || $at["cycles [cycle]"] + 0 == 0) { bad = 1 } END { exit bad || NR < 4 }' \
    "$work/result/kernels.csv" || fail 'the launches are not there with their cycles'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } } NR > 1 && $at["component"] == "EU" { total += $at["event_energy [J]"] } END { exit !(total > 0) }' "$work/result/power.csv" || fail 'no energy'

