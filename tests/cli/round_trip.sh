#!/bin/sh
# The activity file alone gives the same bytes as the run that wrote it; the same run twice gives the same files.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
"$warpwatt" run --gpu gtx580 --workload backprop:small,bfs:small --interval 1000 --quiet --out "$work/a"
"$warpwatt" run --gpu gtx580 --workload backprop:small,bfs:small --interval 1000 --quiet --out "$work/b"
"$warpwatt" power --activity "$work/a/activity.xml" --quiet --out "$work/c"
for file in kernels.csv counters.csv power.csv power.xml energy_events.csv groups.csv uncertainty.csv area.csv trace.csv activity.xml run.json; do
    [ -s "$work/a/$file" ] || { echo "$file is missing"; exit 1; }
    cmp "$work/a/$file" "$work/b/$file"
done
for file in kernels.csv counters.csv power.csv power.xml energy_events.csv groups.csv uncertainty.csv area.csv; do
    cmp "$work/a/$file" "$work/c/$file"
done
# The file is what the schema says. Of a file that gives totals alone the joules are the same, but for the order of sums.
if command -v xmllint >/dev/null; then
    xmllint --noout --schema "$2/configs/schema/activity.xsd" "$work/a/activity.xml" 2>"$work/log" || { tail -n 3 "$work/log"; exit 1; }
fi
"$warpwatt" run --gpu gtx580 --workload backprop:small --quiet --out "$work/d"
awk '/<component/ || /<\/component/ { next }
    /<launch / { print; split("", sum); next }
    /<stat / { split($0, part, "\""); sum[part[2]] += part[4]; next }
    /<\/launch/ { print "<component name=\"total\">"; for (name in sum) printf "<stat name=\"%s\" value=\"%d\"/>\n", name, sum[name]; print "</component>" }
    { print }' "$work/d/activity.xml" >"$work/total.xml"
"$warpwatt" power --activity "$work/total.xml" --quiet --out "$work/e"
paste -d, "$work/d/power.csv" "$work/e/power.csv" | tr -d '\r' | awk -F, 'NR > 1 { n = NF / 2; for (i = 5; i <= 10; i++) if ($i - $(i + n) > 1e-9 * $i || $(i + n) - $i > 1e-9 * $i) { print "totals: " $0; exit 1 } }'
if command -v xmllint >/dev/null; then
    xmllint --noout --schema "$2/configs/schema/activity.xsd" "$work/total.xml" 2>"$work/log" || { tail -n 3 "$work/log"; exit 1; }
fi
# The rows of energy_events.csv, those of leakage among them, sum to each launch's energy.
tr -d '\r' <"$work/a/power.csv" >"$work/power"
tr -d '\r' <"$work/a/energy_events.csv" | sed 's/"[^"]*"//g' | awk -F, '
    NR == FNR { if ($4 == "TOTAL") want[$1 "," $3] = $5 + $6 + $7; next }
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy [J]") at = i; next }
    { sum[$1 "," $3] += $at }
    END {
        for (l in want) {
            n++
            off = sum[l] / want[l] - 1
            if (off > 1e-9 || off < -1e-9) { print "launch " l ": events sum to " sum[l] " J of " want[l]; bad = 1 }
        }
        exit bad || n == 0
    }' "$work/power" -
# power.xml has the rows of power.csv.
tr -d '\r' <"$work/a/power.csv" | awk -F, 'NR > 1 { print $3, $4, $5, $6, $7, $8, $9, $10 }' >"$work/rows"
sed -n 's/.* launch="\([0-9]*\)".*/launch \1/p; s/.*<component name="\(.*\)" event_j=/\1 /p; s/.*<total event_j=/TOTAL /p' "$work/a/power.xml" |
    sed 's/[a-z_]*="\([^"]*\)"/\1/g; s/"\([^"]*\)"/\1/g; s|/>||' | awk '$1 == "launch" { launch = $2; next } { print launch, $0 }' >"$work/elements"
cmp "$work/rows" "$work/elements"
if grep -iE '(^|[,: ])-?(nan|inf)([,} ]|$)' "$work"/a/*.csv "$work/a/run.json"; then
    echo "a result is not a number"
    exit 1
fi
