#!/bin/sh
# An activity file at another clock or voltage: configured watts follow, events keep their joules, time and leakage's joules
# go with the cycles. More channels have more standby.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() { "$warpwatt" run --workload vectoradd:small --quiet --out "$work/$1" --gpu gtx580 $2; }
at() { "$warpwatt" power --activity "$work/own/activity.xml" --quiet --out "$work/$1" $2; }

# column DIR COMPONENT NAME
column() {
    tr -d '\r' <"$work/$1/power.csv" | awk -F, -v component="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name) == 1) at = i; next }
        $4 == component { print $at }'
}
# is DIR COMPONENT NAME TIMES: so many times that of the run as it was.
is() {
    awk -v now="$(column "$1" "$2" "$3")" -v was="$(column own "$2" "$3")" -v times="$4" -v what="$1: $2 $3" 'BEGIN {
        off = now - times * was
        if (was <= 0 || off > 1e-9 * now || off < -1e-9 * now) { print what ": " now " of " was ", not " times " times"; exit 1 } }'
}
run own ""
at slow "--set clock.core_hz=386MHz --set clock.icnt_hz=386MHz --set clock.l2_hz=386MHz"
for component in BP CP; do
    is slow $component dynamic_power 0.5
    is slow $component background_energy 1
done
for component in RF EU LDSTU NOC; do
    is slow $component event_energy 1
    is slow $component dynamic_power 0.5
    is slow $component leakage_energy 2
done
is slow GM background_energy 2
at high "--set chip.vdd_v=1.1"
for component in BP CP MC; do
    is high $component background_energy 1.21
done
is high GM background_energy 1
at lazy "--set clock.dram_hz=501MHz"
for component in MC GM; do
    is lazy $component background_energy 0.5
done
is lazy BP dynamic_power 1
run wide "--set mem.channels=12"
awk -v a="$(column own GM background_energy)" -v b="$(column wide GM background_energy)" -v c="$(column own BP background_energy)" \
    -v d="$(column wide BP background_energy)" 'BEGIN { if (b / a < 1.8 * d / c) { print "twice the channels have " b / a " of the standby"; exit 1 } }'
