#!/bin/sh
# --clock and --power-cap from end to end: what is bound by memory keeps its time, energies go with the square of the voltage,
# a recorded activity is evaluated at its own voltage, a cap is kept by a clock that the same run at that clock confirms.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() { name=$1; shift; "$warpwatt" run --gpu a100-pcie --workload matrixmul:small --quiet --out "$work/$name" "$@"; }
# column DIR COMPONENT NAME: of the first launch
column() {
    tr -d '\r' <"$work/$1/power.csv" | awk -F, -v component="$2" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name) == 1) at = i; next }
        $4 == component { print $at; exit }'
}
# is NOW WAS TIMES WHAT: to 1e-6
is() {
    awk -v now="$1" -v was="$2" -v times="$3" -v what="$4" 'BEGIN {
        off = now - times * was
        if (was <= 0 || off > 1e-6 * now || off < -1e-6 * now) { print what ": " now " of " was ", not " times " times"; exit 1 } }'
}
run own
run same --clock 1410MHz
cmp "$work/own/power.csv" "$work/same/power.csv" || fail "the description's own clock changes the result"
run slow --clock 1200MHz
# 0.76875 V of 0.89375 V; what issues and executes is counted alike
is "$(column slow EU event_energy)" "$(column own EU event_energy)" 0.7398405 "EU at 1200 MHz"
"$warpwatt" power --activity "$work/slow/activity.xml" --quiet --out "$work/again" 2>"$work/note"
is "$(column again EU event_energy)" "$(column slow EU event_energy)" 1 "the recorded activity, EU"
is "$(column again REST leakage_energy)" "$(column slow REST leakage_energy)" 1 "the recorded activity, REST"
# A cap: the clock it names is one whose run is the same, and it is said.
"$warpwatt" run --gpu a100-pcie --workload matrixmul:small --power-cap 60W --out "$work/capped" >"$work/table" 2>"$work/said"
grep -q '^note: power cap of 60 W: 5[.0-9]* W at [0-9]* MHz, 60[.0-9]* W at the next clock' "$work/said" ||
    fail "the cap is not told: $(cat "$work/said")"
mhz=$(sed -n 's/.*W at \([0-9]*\) MHz, .*/\1/p' "$work/said")
run told --clock "${mhz}MHz"
cmp "$work/capped/power.csv" "$work/told/power.csv" || fail "a capped run is not the run at its clock, $mhz MHz"
# Errors give the range.
refuses '210 MHz to 1.41 GHz' run none --clock 2GHz
refuses 'more than 0' run none --clock 0
refuses 'not a number' run none --clock fast
refuses '[1-9][0-9][.0-9]* W at 210 MHz' run none --power-cap 20W
refuses 'more than 0' run none --power-cap -3W
refuses 'no-timing' run none --power-cap 100W --no-timing
# --settle: the temperature it says, given, leads to the same joules; its power holds it.
"$warpwatt" power --activity "$work/own/activity.xml" --settle --out "$work/settled" >/dev/null 2>"$work/said"
kelvin=$(sed -n 's/.*settles at \([0-9.]*\) K with .*/\1/p' "$work/said")
watts=$(sed -n 's/.* K with \([0-9.]*\) W .*/\1/p' "$work/said")
awk -v t="$kelvin" -v w="$watts" 'BEGIN { off = t - 324.7 - 23.8 / 250 * w; exit !(off < 0.02 && off > -0.02) }' || fail "--settle: $(cat "$work/said")"
"$warpwatt" power --activity "$work/own/activity.xml" --set chip.temperature_k="$kelvin" --quiet --out "$work/held" 2>/dev/null
awk -v a="$(column held TOTAL leakage_energy)" -v b="$(column settled TOTAL leakage_energy)" 'BEGIN { exit !(a / b > 0.9995 && a / b < 1.0005) }' ||
    fail "leakage where it settles: $(column held TOTAL leakage_energy), $(column settled TOTAL leakage_energy)"
refuses 'runaway\|limit' "$warpwatt" power --activity "$work/own/activity.xml" --settle --quiet --set chip.rise_k=200
# Options of every command that takes a machine's watts or clocks
"$warpwatt" config show a100-pcie clock.core_v --clock 900MHz | grep -q '0.69[0-9]* V *--clock' || fail "config show"
"$warpwatt" power --gpu a100-pcie --describe --clock 900MHz >"$work/low"
"$warpwatt" power --gpu a100-pcie --describe >"$work/high"
! cmp -s "$work/low" "$work/high" || fail "power --describe does not follow the clock"
