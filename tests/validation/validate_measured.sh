#!/bin/sh
# validate measured: is a kernel's power, with its uncertainty, the one that `run` prints of the same launches? Are the kernels of a
# card judged once all of them are there, and not before?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
table=$2/tests/validation/power/measured.csv
card=titanx-pascal
# RESULT KERNEL of each of the kernels of the card; no cell before these has a comma
rows() { awk -F, -v card="$card" '$1 == card && $3 == "power" { print $4, $5 }' "$table"; }
settings=$(awk -F, -v card="$card" '$1 == card && $4 == "kmeans" { print $16 }' "$table")
set --
for setting in $settings; do set -- "$@" --set "$setting"; done
[ $# -gt 0 ] || fail "the row of kmeans tells no clock"
"$warpwatt" run --gpu "$card" --workload kmeans:small "$@" --out "$work/$card-kmeans" --json >"$work/run.json"
"$warpwatt" validate measured --results "$work" --json >"$work/validated.json" 2>"$work/err" ||
    fail "one kernel of $(rows | wc -l) is judged"
python3 - "$work/run.json" "$work/validated.json" "$card" <<'P' || fail "run and validate measured differ"
import json, sys
run = next(k for k in json.load(open(sys.argv[1]))['kernels'] if k['kernel'] == 'kmeansPoint')
row = next(r for r in json.load(open(sys.argv[2]))['measured'] if r['gpu'] == sys.argv[3] and r['quantity'] == 'kmeans_k1')
print('run', run['repeated_w'], run['repeated_plus_minus_w'], 'validated', row['warpwatt'], row['plus_minus'])
same = f"{run['repeated_w']:.1f}" == row['warpwatt'] and f"{run['repeated_plus_minus_w']:.1f}" == row['plus_minus']
sys.exit(not same or run['repeated_w'] == run['total_w'])
P
# A row without a kernel is a whole program's: between its two kernels' powers.
"$warpwatt" run --gpu titanx-maxwell --workload kmeans:small --clock 975MHz --out "$work/program/titanx-maxwell-kmeans" --json >"$work/run.json" 2>"$work/err"
"$warpwatt" validate measured --results "$work/program" --json >"$work/validated.json" 2>"$work/err" || fail "a program without a bar is judged"
python3 - "$work/run.json" "$work/validated.json" <<'P' || fail "the program's power is not the mean of its kernels'"
import json, sys
low, high = sorted(k['repeated_w'] for k in json.load(open(sys.argv[1]))['kernels'])
row = next(r for r in json.load(open(sys.argv[2]))['measured'] if r['gpu'] == 'titanx-maxwell' and r['quantity'] == 'kmeans')
print(low, row['warpwatt'], high)
sys.exit(not low + 0.1 < float(row['warpwatt']) < high - 0.1)
P
# The same launches by the names of all of the card's kernels, two where a program has two.
rows | while read -r result kernel; do
    folder=$work/whole/$card-$result
    if [ ! -d "$folder" ]; then
        mkdir -p "$folder"
        sed "s/kmeansPoint/$kernel/" "$work/$card-kmeans/activity.xml" >"$folder/activity.xml"
    else
        sed "s/invert_mapping/$kernel/" "$folder/activity.xml" >"$work/two"
        mv "$work/two" "$folder/activity.xml"
    fi
done
misses "^$card  *mean error .* up to 0.094  *MISSED" "$warpwatt" validate measured --results "$work/whole"
grep -q "^$card  *inside .* 0.88 to 1 " "$work/out" || fail "intervals are not judged"
