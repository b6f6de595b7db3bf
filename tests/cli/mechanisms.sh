#!/bin/sh
# Mechanisms on the command line: listed, switched on, reported, charged; with one the activity file still gives the bytes of the
# run, on any number of threads; without its name the file is refused.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
"$warpwatt" run --gpu gtx480 --workload backprop:small --quiet --out "$work/none"
"$warpwatt" run --gpu gtx480 --workload backprop:small --mech nlp,uv --quiet --out "$work/with"
"$warpwatt" run --gpu gtx480 --workload backprop:small --mech nlp,uv --threads 2 --quiet --out "$work/threads"
"$warpwatt" power --activity "$work/with/activity.xml" --mech nlp,uv --quiet --out "$work/again"
for file in power.csv area.csv energy_events.csv mechanisms.csv; do
    cmp "$work/with/$file" "$work/again/$file"
    cmp "$work/with/$file" "$work/threads/$file"
done
for file in power.csv area.csv energy_events.csv; do
    grep -q 'MECH' "$work/with/$file" || { echo "$file does not show the mechanisms"; exit 1; }
    if grep -q 'MECH' "$work/none/$file"; then echo "$file shows mechanisms where none ran"; exit 1; fi
done
[ ! -e "$work/none/mechanisms.csv" ]
# What they came to is printed, pooled over launches.
"$warpwatt" power --activity "$work/with/activity.xml" --mech nlp,uv >"$work/said"
grep -Eq '^uv +eliminated +0\.[0-9]+ ' "$work/said" && grep -Eq '^nlp +coverage +[0-9.]+ ' "$work/said" || { cat "$work/said"; exit 1; }
# Counts of a mechanism that is not switched on
refuses --mech "$warpwatt" power --activity "$work/with/activity.xml" --quiet --out "$work/refused"
# Each mechanism that there is: the same bytes on any number of threads, its structures on the bill.
mechs=$("$warpwatt" list mechs --json | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')
[ -n "$mechs" ]
for mech in $mechs; do
    for threads in 1 2 4; do
        "$warpwatt" run --gpu gtx480 --workload backprop:small --mech "$mech" --threads $threads --quiet --out "$work/$mech-$threads"
        for file in kernels.csv power.csv energy_events.csv mechanisms.csv; do
            cmp "$work/$mech-1/$file" "$work/$mech-$threads/$file"
        done
    done
    for room in $(awk -F, 'NR > 1 { print $4 }' "$work/$mech-1/mechanisms.csv" | sort -u); do # a name may stand for several
        grep -q "MECH,.*$room" "$work/$mech-1/area.csv" || { echo "area.csv does not show $room"; exit 1; }
    done
    rm -r "$work/$mech-1" "$work/$mech-2" "$work/$mech-4"
done
refuses "did you mean 'nlp'" "$warpwatt" run --gpu gtx480 --workload backprop:small --mech nlq --quiet
