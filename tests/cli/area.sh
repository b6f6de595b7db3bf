#!/bin/sh
# The parts of a die add up, a mechanism shows, and measured rows run without results.
set -eu
warpwatt=$1
# modelled + rest = die, to the rounding of the table
"$warpwatt" area --gpu gtx480,gtx580 | awk '
    /^gtx[0-9]* *modelled / { modelled = $5 }
    /rest of the die/ { rest = $10 }
    / die  / { dies++; gap = modelled + rest - $5; if (gap > 0.05 || gap < -0.05) { print "gap of " gap " mm2"; bad = 1 } }
    END { if (dies != 2) { print dies " dies"; bad = 1 } exit bad }'
plain=$("$warpwatt" area --gpu gtx480 | grep -c MECH || true)
with=$("$warpwatt" area --gpu gtx480 --mech uv | grep -c MECH || true)
[ "$plain" = 0 ] && [ "$with" = 1 ] || { echo "MECH: $plain without, $with with"; exit 1; }
"$warpwatt" area --gpu gtx580 --structures --json | grep -q '"structure": "RF/banks"'
"$warpwatt" validate area --json | grep -q '"mechanism": "DAC"'
"$warpwatt" validate measured 2>/dev/null | grep -q 'not run'
"$warpwatt" validate measured 2>/dev/null | grep -q '^h200 .*board idle'
# A stream that fits into the L2 says nothing of DRAM.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
"$warpwatt" run --gpu h200 --workload power-ubench:small --quiet --out "$results/h200-power-ubench"
"$warpwatt" validate measured --results "$results" 2>/dev/null | grep '^h200 .*DRAM to SM' | grep -q 'not exercised'
"$warpwatt" validate measured --results "$results" 2>/dev/null | grep '^h200 .*L1 to SM' | grep -q 'pJ/bit'
if "$warpwatt" area --gpu gtx480,,gtx580 2>/dev/null; then
    echo "an empty name was taken"
    exit 1
fi
