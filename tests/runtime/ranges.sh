#!/bin/sh
# Are launches of the NVTX ranges that are open in their thread, in every table, and of none when another tool is asked for?
warpwatt=$1
program=$2
. "$(dirname "$0")/../support/scratch.sh"
unset NVTX_INJECTION64_PATH
"$warpwatt" run --gpu gtx580 --out "$work/result" -- "$program" >"$work/stdout" 2>"$work/stderr" || fail 'the program failed'
# Each range with its launches: kernels.csv has a row a launch.
cut -d, -f1 "$work/result/kernels.csv" | tail -n +2 | LC_ALL=C sort | uniq -c | awk '{print $2, $1}' >"$work/ranges"
cat >"$work/wanted" <<'END'
ranges_program 3
ranges_program/beside 1
ranges_program/epoch/forward/layer/wide?<name> 1
ranges_program/forward/inner 1
ranges_program/forward/layer 2
ranges_program/forward/layer/inner 1
END
cmp "$work/ranges" "$work/wanted" || { cat "$work/ranges"; fail 'the ranges are others'; }
grep -q 'forward/layer' "$work/stdout" || fail 'the tables do not group by ranges'
"$warpwatt" report "$work/result" --out "$work/report.html" >/dev/null 2>"$work/stderr" || fail 'no report'
grep -q 'forward/layer/inner' "$work/report.html" || fail 'the report does not name ranges'
"$warpwatt" power --activity "$work/result/activity.xml" --gpu gtx580 >"$work/power" 2>"$work/stderr" || fail 'no power from the activity'
grep -q 'forward/layer' "$work/power" || fail 'power does not group by ranges'
! NVTX_INJECTION64_PATH=/nowhere "$warpwatt" run --gpu gtx580 --no-timing -- "$program" >"$work/stdout" 2>&1 || fail 'another tool is not left alone'
grep -q 'no NVTX' "$work/stdout" || fail 'another tool is not left alone'
