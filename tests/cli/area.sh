#!/bin/sh
# The parts of a die add up, a mechanism shows, and measured rows run without results.
. "$(dirname "$0")/../support/scratch.sh"
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
# Cycles that are off change the power of work, not what goes with time: a kernel that waits is as sure as its energies.
cat > "$results/wait.ptx" <<'END'
.version 6.0
.target sm_70
.address_size 64
.visible .entry kmeansPoint()
{
 .reg .u32 %r<2>;
 .reg .pred %p;
 mov.u32 %r1, 0;
again:
 add.u32 %r1, %r1, 1;
 setp.lt.u32 %p, %r1, 3000;
 @%p bra again;
 ret;
}
END
printf '<launches><launch kernel="kmeansPoint"><grid x="8"/><block x="32"/></launch></launches>' > "$results/wait.xml"
"$warpwatt" run --gpu qv100 --ptx "$results/wait.ptx" --launch "$results/wait.xml" --quiet --set sm.kernel_launch_cycles=0 --out "$results/qv100-kmeans"
sure=$(awk -F, '$4 == "TOTAL" { print $11 }' "$results/qv100-kmeans/power.csv")
"$warpwatt" validate measured --results "$results" 2>/dev/null | awk -v sure="$sure" '
    /^qv100 *kmeans_k1/ { rows++; for (i = 1; i <= NF; i++) { if ($i == "W") { now = $(i + 1) } } }
    END { if (rows != 1 || now < 0.9 * sure || now > 1.1 * sure) { print "+- " now " W of a kernel that waits, " sure " W of its energies"; exit 1 } }'
refuses . "$warpwatt" area --gpu gtx480,,gtx580
