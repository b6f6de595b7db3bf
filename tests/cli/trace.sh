#!/bin/sh
# trace.sh WARPWATT: is the integral of power over time the energy? Of each launch, each component and static power, for
# workloads of one launch and of many, with intervals that end with the launch and that do not, on two machines.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1

check() {
    "$warpwatt" run --quiet --out "$work/run" --force "$@"
    awk -F, -v what="$*" '
        function off(a, b) { return a > b * (1 + 1e-9) + 1e-18 || a < b * (1 - 1e-9) - 1e-18 }
        FNR == 1 {
            for (i = 1; i <= NF; i++) {
                name[FILENAME, i] = $i
                sub(/ \[.*/, "", name[FILENAME, i])
                at[FILENAME, name[FILENAME, i]] = i
            }
            next
        }
        FILENAME ~ /trace/ {
            launch = $1 "," $2 "," $3
            time = $at[FILENAME, "end"] - $at[FILENAME, "start"]
            for (i = 1; i <= NF; i++) {
                trace[launch, name[FILENAME, i]] += $i * time
            }
            rows++
            next
        }
        {
            launch = $1 "," $2 "," $3
            dynamic = $at[FILENAME, "event_energy"] + $at[FILENAME, "background_energy"]
            static = $at[FILENAME, "leakage_energy"]
            if ($4 == "TOTAL") {
                if (off(trace[launch, "static"], static) || off(trace[launch, "total"], dynamic + static)) {
                    print what ": " launch ": the trace holds " trace[launch, "total"] " J, the launch " dynamic + static " J"
                    bad++
                }
                launches++
            } else if (off(trace[launch, $4], dynamic)) {
                print what ": " launch ", " $4 ": the trace holds " trace[launch, $4] " J, the launch " dynamic " J"
                bad++
            }
        }
        END {
            print what ": " rows " intervals of " launches " launches"
            exit bad > 0 || launches == 0 || rows <= launches
        }' "$work/run/trace.csv" "$work/run/power.csv"
    rm -r "$work/run"
}

check --gpu gtx580 --workload backprop:small,bfs:small,hotspot:small,mergesort:small --interval 500
check --gpu gtx580 --workload kmeans:small,blackscholes:small --interval 777 --isa ptx
check --gpu qv100 --workload scalarprod:small,pathfinder:small --interval 1000
check --gpu gtx580-d553 --workload h264-mc:small --interval 300
