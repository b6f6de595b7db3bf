#!/bin/sh
# Does --timeline follow a CTA of what a program launches, of all its processes in one table?
warpwatt=$1
program=$2
. "$(dirname "$0")/../support/scratch.sh"
printf '#!/bin/sh\n"%s" new && "%s" new\n' "$program" "$program" >"$work/script"
chmod +x "$work/script"
"$warpwatt" run --gpu h200 --timeline 1 --out "$work/out" -- "$work/script" >"$work/stdout" 2>"$work/stderr" || fail "the program failed"
[ "$(grep -c '^workload,' "$work/out/timeline.csv")" -eq 1 ] || fail "not one head"
[ "$(grep -c ',pair,.*,warp 0,.*,works,' "$work/out/timeline.csv")" -ge 2 ] || fail "not a life of the CTA's warp of each process"
