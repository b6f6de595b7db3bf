#!/bin/sh
# --hotspot from end to end: floorplan and trace name the same blocks, a run's trace holds its joules, a drawn floorplan is used or
# refused, and where HotSpot is to be had (WARPWATT_HOTSPOT or PATH) its steady state is ours: the mean over the die within 5 % of
# how far the die stands above its air.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
hotspot=${2:-none}
names() { awk '!/^#/ { print $1 }' "$1/floorplan.flp"; }
"$warpwatt" run --gpu gtx580 --workload vectoradd:small --interval 500 --quiet --out "$work/run" --hotspot "$work/heat"
names "$work/heat" >"$work/blocks"
head -n 1 "$work/heat/power.ptrace" | tr '\t' '\n' | cmp - "$work/blocks" || fail "floorplan and trace name different blocks"
[ "$(awk 'NR > 1' "$work/heat/power.ptrace" | wc -l)" = "$(awk 'NR > 1' "$work/run/trace.csv" | wc -l)" ] || fail "a step per interval"
# Mean of the trace, with what the configuration says lies off the die, is the run's power.
beside=$(sed -n 's/.*warmed by \([0-9.e+-]*\) W.*/\1/p' "$work/heat/hotspot.config")
mean=$(awk -F '\t' 'NR > 1 { for (i = 1; i <= NF; i++) w += $i } END { printf "%.9g", w / (NR - 1) }' "$work/heat/power.ptrace")
tr -d '\r' <"$work/run/trace.csv" | awk -F, -v trace="$mean" -v beside="$beside" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total [W]") w = i }
    NR > 1 { j += ($5 - $4) * $w; s += $5 - $4 }
    END { d = trace + beside - j / s; if (d > 1e-5 * j / s || d < -1e-5 * j / s) { print trace " + " beside " W, of " j / s; exit 1 } }' || fail "the trace is not the run's power"
# The same from the activity alone, whose intervals are sums: the die's watts are those of the run, step by step.
"$warpwatt" power --activity "$work/run/activity.xml" --quiet --hotspot "$work/again"
for dir in heat again; do
    awk -F '\t' 'NR > 1 { w = 0; for (i = 1; i <= NF; i++) w += $i; printf "%.5g\n", w }' "$work/$dir/power.ptrace" >"$work/$dir.watts"
done
cmp "$work/heat.watts" "$work/again.watts" || fail "an activity file gives other watts"
cmp "$work/heat/floorplan.flp" "$work/again/floorplan.flp" || fail "and another floorplan"
# A drawn floorplan: mirrored, it is taken as it is; spoiled, it is refused with its line.
width=$(awk '!/^#/ { if ($4 + $2 > w) w = $4 + $2 } END { printf "%.17g", w }' "$work/heat/floorplan.flp")
awk -v w="$width" '!/^#/ { x = w - $4 - $2; printf "%s %s %s %.17g %s\n", $1, $2, $3, x < 0 ? 0 : x, $5 }' "$work/heat/floorplan.flp" >"$work/mirror.flp"
"$warpwatt" power --activity "$work/run/activity.xml" --quiet --hotspot "$work/drawn" --floorplan "$work/mirror.flp"
cmp "$work/drawn/power.ptrace" "$work/again/power.ptrace" || fail "places change powers"
awk '$1 == "sm0.rf" { exit !($4 > 0.01) }' "$work/drawn/floorplan.flp" || fail "the drawn floorplan is not used"
drawn() { "$warpwatt" power --activity "$work/run/activity.xml" --quiet --hotspot "$work/none" "$@"; }
sed '3s/^\([^ ]*\) [^ ]*/\1 nan/' "$work/mirror.flp" >"$work/bad.flp"
refuses 'bad.flp:3:.*nan' drawn --floorplan "$work/bad.flp"
sed '3s/^\([^ ]*\) /\1 -/' "$work/mirror.flp" >"$work/bad.flp"
refuses 'bad.flp:3: .*above 0' drawn --floorplan "$work/bad.flp"
sed '4s/^\([^ ]*\) [^ ]*/\1 0.01/' "$work/mirror.flp" >"$work/bad.flp"
refuses 'bad.flp:.*lies over' drawn --floorplan "$work/bad.flp"
sed 's/^l2 /l3 /' "$work/mirror.flp" >"$work/bad.flp"
refuses "'l2' is missing" drawn --floorplan "$work/bad.flp"
refuses 'nowhere.flp' drawn --floorplan "$work/nowhere.flp"
refuses 'leave nothing' drawn --set chip.case_k_per_w=0.9
refuses 'needs time' "$warpwatt" run --gpu gtx580 --workload vectoradd:small --no-timing --quiet --hotspot "$work/none"
[ ! -e "$work/none" ] || fail "what is refused leaves files behind"
[ "$hotspot" = compare ] || exit 0
program=${WARPWATT_HOTSPOT:-$(command -v hotspot || true)}
[ -n "$program" ] && [ -x "$program" ] || exit 77
"$warpwatt" run --gpu a100 --workload matrixmul:small --quiet --out "$work/a100"
for dir in run a100; do
    "$warpwatt" power --activity "$work/$dir/activity.xml" --settle --hotspot "$work/$dir.heat" >/dev/null 2>"$work/settled"
    ours=$(sed -n 's/.*settles at \([0-9.]*\) K.*/\1/p' "$work/settled")
    (cd "$work/$dir.heat" && "$program" -c hotspot.config -f floorplan.flp -p power.ptrace -model_type block -steady_file steady.txt >/dev/null 2>&1) || fail "$dir: HotSpot refuses"
    awk -v ours="$ours" -v dir="$dir" '
        FILENAME ~ /config$/ && $1 == "-ambient" { air = $2 }
        FILENAME ~ /flp$/ && !/^#/ { area[$1] = $2 * $3; all += $2 * $3 }
        FILENAME ~ /steady.txt$/ && $1 in area { mean += area[$1] * $2 }
        END {
            mean /= all
            off = (mean - ours) / (ours - air)
            printf "%s: ours %.2f K, mean of HotSpot %.2f K, %.1f %% of %.2f K above its air\n", dir, ours, mean, 100 * off, ours - air
            exit !(off < 0.05 && off > -0.05)
        }' "$work/$dir.heat/hotspot.config" "$work/$dir.heat/floorplan.flp" "$work/$dir.heat/steady.txt" || fail "$dir: the steady state is another"
done
