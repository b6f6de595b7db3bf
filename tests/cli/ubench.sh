#!/bin/sh
# Does each microbenchmark keep busy what it claims, and do all of them together find the energies of a card that are known?
# Usage: ubench.sh WARPWATT SOURCE
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
benches=$2/workloads/power-ubench/benches.def
# Two SMs, an L2 that they can stream past, and launches that follow each other at once.
machine="--gpu qv100 --set l2.bytes=24KiB --set sm.count=2 --set sm.clusters=1 --set sm.kernel_launch_cycles=0"
"$warpwatt" run $machine --workload power-ubench:std --quiet --out "$work/ubench"
[ "$(grep -c '^BENCH(' "$benches")" -ge 60 ] || fail "fewer than 60 microbenchmarks"

# Counts of a launch over its issued warp instructions, beside what the table promises: the last launches of the run, in its order.
awk '
    FNR == NR {
        if (/^BENCH\(/) { n++; split($0, part, "\""); what[n] = part[2]; counter[n] = part[4]; least[n] = part[5]; gsub(/[^0-9.]/, "", least[n]) }
        next
    }
    /<launch / { launch++ }
    /<stat / { split($0, part, "\""); count[launch, part[2]] += part[4] }
    END {
        for (i = 1; i <= n; i++) {
            l = launch - n + i
            rate = count[l, counter[i]] / count[l, "sm.inst.warp"]
            if (!(rate >= least[i] + 0)) { printf "%s: %g %s for an instruction, expected %g\n", what[i], rate, counter[i], least[i]; bad = 1 }
        }
        exit bad
    }' "$benches" "$work/ubench/activity.xml" || fail "a microbenchmark does not keep busy what it claims"

# A card of which everything is known: powers of other factors than the description's, half a percent off.
truth='int_factor=1.4 fp32_factor=0.5 fp64_factor=0.4 shared_factor=1.3 branch_factor=3 rf_factor=0.9 wcu_factor=1.2 l2_factor=1.2 constant_w=14 sm_activation_w=0.2'
sets=
for pair in $truth; do sets="$sets --set power.$pair"; done
"$warpwatt" power $machine $sets --activity "$work/ubench/activity.xml" --out "$work/card" --quiet
{
    echo activity,kernel,component,measured,sigma,source
    for pair in $truth; do echo "prior,,${pair%=*},$(echo "${pair#*=}" | awk '{ print $1 * 0.7 }'),0.7,another card"; done
    awk -F, '$4 == "TOTAL" {
        n = seen[$2]++
        x = sin(NR * 12.9898 + 1) * 43758.5453 # from -1 to 1, as good as random
        x -= int(x); x = x < 0 ? x + 1 : x
        printf "ubench/activity.xml,%s%s,TOTAL,%s W,0.005,known\n", $2, n ? "#" n : "", $9 * (1 + 0.01732 * (x - 0.5))
    }' "$work/card/power.csv"
} >"$work/card.csv"
"$warpwatt" calibrate "$work/card.csv" $machine --results "$work" >"$work/fit"
for pair in $truth; do
    awk -v key="power.${pair%=*}" -v known="${pair#*=}" '
        $1 == key { found = 1; off = log($3 / known) * 100; off = off < 0 ? -off : off
                    if (off > 2.5 * $4) { printf "%s: %s, known %s, +- %s %%\n", key, $3, known, $4; found = 0 } }
        END { exit !found }' "$work/fit" || fail "${pair%=*} was not found again"
done
awk '$1 ~ /^power[.](int|fp32|fp64|shared)_factor$|^power.constant_w$/ { if ($4 > 15) { print; bad = 1 } } END { exit bad }' "$work/fit" || fail "known no better than 15 %"
