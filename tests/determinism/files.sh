#!/bin/sh
# Every workload on 1, 2, 4 and 8 threads leaves the same files, power over time included, whose intervals are not
# multiples of a window. Usage: files.sh WARPWATT [GPU [SIZE]]
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
gpu=${2:-gtx480}
size=${3:-small}
for threads in 1 2 4 8; do
    "$warpwatt" run --gpu "$gpu" --workload "all:$size" --interval 997 --threads $threads --quiet --out "$work/$threads"
done
for file in kernels.csv counters.csv power.csv power.xml energy_events.csv groups.csv uncertainty.csv area.csv trace.csv activity.xml run.json; do
    [ -s "$work/1/$file" ] || { echo "$file is missing"; exit 1; }
    for threads in 2 4 8; do
        cmp "$work/1/$file" "$work/$threads/$file"
    done
done
