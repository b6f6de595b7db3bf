#!/bin/sh
# --governor and --heat from end to end: a held clock is --clock bit for bit, any number of threads gives the same bytes, the tables of a
# run whose clock moved sum to the same joules and a recorded activity repeats them, heat slows a card down, and what cannot be asked
# for is refused.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() { name=$1; shift; "$warpwatt" run --gpu a100-pcie --workload matrixmul:small --interval 2000 --quiet --out "$work/$name" "$@"; }
same() { for table in power.csv trace.csv kernels.csv energy_events.csv uncertainty.csv; do cmp "$work/$1/$table" "$work/$2/$table" || fail "$3: $table"; done; }
run told --clock 900MHz
run held --governor fixed:900MHz
same told held "a governor that holds a clock changes the result"
cmp "$work/told/activity.xml" "$work/held/activity.xml" || fail "a held clock changes the activity"
run one --governor edp
run three --governor edp --threads 3
same one three "threads change what a governor does"
tr -d '\r' <"$work/one/trace.csv" | awk -F, 'NR > 1 && $(NF - 2) != 1410000000 { moved = 1 } END { exit !moved }' || fail "edp never moved the clock"
# Integral of the trace, the table of components and that of events
joules() {
    tr -d '\r' <"$work/one/$1" | awk -F, "$2"
}
traced=$(joules trace.csv 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total [W]") w = i } NR > 1 { j += ($5 - $4) * $w } END { printf "%.12e", j }')
listed=$(joules power.csv '$4 == "TOTAL" { j += $5 + $6 + $7 } END { printf "%.12e", j }')
events=$(python3 -c 'import csv, sys; print("%.12e" % sum(float(r["energy [J]"]) for r in csv.DictReader(open(sys.argv[1]))))' "$work/one/energy_events.csv")
for other in "$traced" "$events"; do
    awk -v a="$listed" -v b="$other" 'BEGIN { d = a - b; exit !(a > 0 && d < 1e-9 * a && d > -1e-9 * a) }' || fail "joules: $listed in power.csv, $other beside it"
done
"$warpwatt" power --activity "$work/one/activity.xml" --quiet --out "$work/again"
same one again "a recorded activity"
refuses 'its own clocks' "$warpwatt" power --activity "$work/one/activity.xml" --clock 900MHz --quiet
# A cap is kept from the third interval of a steady kernel on, to a watt.
run capped --governor cap:60W
tr -d '\r' <"$work/capped/trace.csv" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total [W]") w = i } $3 == 1 && $w > 61 { exit 1 }' || fail "the cap is not kept"
# Heat: a poor cooler takes clocks away, the leakage of each interval is that of its temperature.
run hot --heat 2e5 --set chip.rise_k=150 --set chip.inlet_k=338 --set chip.limit_k=338.2
tr -d '\r' <"$work/hot/trace.csv" | awk -F, 'NR == 2 { t = $NF } END { exit !($NF > t && $(NF - 2) < 1410000000) }' || fail "heat changes nothing"
# The report draws both over time.
"$warpwatt" report "$work/hot" --out "$work/page.html" >/dev/null
[ -s "$work/page-files/schedule-clock.svg" ] || fail "no drawing of the clock"
[ -s "$work/page-files/schedule-temperature.svg" ] || fail "no drawing of the temperature"
"$warpwatt" report "$work/told" --out "$work/plain.html" >/dev/null
[ ! -e "$work/plain-files/schedule-clock.svg" ] || fail "a clock that stayed is drawn"
# Kernels at the same time: a held clock is --clock there too, one that moves sums, and threads change nothing.
cat >"$work/two.ptx" <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u32 n)
{
 .reg .u32 %i, %n;
 .reg .pred %p;
 ld.param.u32 %n, [n];
 mov.u32 %i, 0;
again:
 add.u32 %i, %i, 1;
 setp.lt.u32 %p, %i, %n;
 @%p bra again;
 ret;
}
END
cat >"$work/two.xml" <<'END'
<launches>
  <launch kernel="spin" stream="1"><grid x="20"/><block x="128"/><arg type="u32" value="600"/></launch>
  <launch kernel="spin" stream="2"><grid x="10"/><block x="64"/><arg type="u32" value="900"/></launch>
</launches>
END
beside() { name=$1; shift; "$warpwatt" run --gpu a100-pcie --ptx "$work/two.ptx" --launch "$work/two.xml" --interval 1000 --quiet --out "$work/$name" "$@"; }
beside told2 --clock 900MHz
beside held2 --governor fixed:900MHz
same told2 held2 "a held clock changes kernels at the same time"
beside moved2 --governor edp
beside threads2 --governor edp --threads 3
same moved2 threads2 "threads change what a governor does to kernels at the same time"
tr -d '\r' <"$work/moved2/trace.csv" | awk -F, 'NR > 1 && $(NF - 2) != 1410000000 { moved = 1 } END { exit !moved }' || fail "edp never moved the clock of kernels at the same time"
tr -d '\r' <"$work/moved2/trace.csv" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total [W]") w = i } NR > 1 { j += ($5 - $4) * $w } END { printf "%.12e\n", j }' >"$work/traced2"
tr -d '\r' <"$work/moved2/power.csv" | awk -F, '$4 == "TOTAL" { j += $5 + $6 + $7 } END { printf "%.12e\n", j }' >"$work/listed2"
paste "$work/traced2" "$work/listed2" | awk '{ d = $1 / $2 - 1; exit !(d < 1e-9 && d > -1e-9) }' || fail "joules of kernels at the same time: $(paste "$work/traced2" "$work/listed2")"
refuses 'needs --interval' "$warpwatt" run --gpu a100-pcie --workload matrixmul:small --quiet --governor edp
refuses 'such as cap:250W' run none --governor cap:0W
refuses 'such as cap:250W' run none --governor fixed:nan
refuses 'such as cap:250W' run none --governor fast
refuses '210 MHz to 1.41 GHz' run none --governor fixed:2GHz
refuses 'one of the two' run none --governor fixed:1GHz --clock 900MHz
refuses 'does not go with --profile' run none --governor edp --profile
refuses 'from 1 on' run none --heat nan
refuses 'leave nothing' run none --heat 1 --set chip.case_k_per_w=0.9
