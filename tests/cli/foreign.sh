#!/bin/sh
# foreign.sh WARPWATT SOURCE: counters of a run, written as other programs print theirs and read again: the energy agrees with the run's
# within what the maps lose, estimates are named, and broken files are errors with a line.
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/../support/cli.sh"
total() { python3 -c 'import json, sys; print([c["energy_uj"] for c in json.load(sys.stdin)["components"] if c["component"] == "total"][0])'; }
# Dynamic energy without the clusters': where CTAs sit is not told.
dynamic() { python3 -c 'import json, sys
c = {c["component"]: c["energy_uj"] for c in json.load(sys.stdin)["components"]}
print(c["total"] - c["static"] - c["CP"])'; }
agree() {
    python3 -c 'import sys
a, b, most = map(float, sys.argv[1:])
sys.exit(abs(a / b - 1) > most)' "$1" "$2" "$3" || fail "$4: $1 against $2, more than $3 apart"
}
# GPU burst and flit bytes, SMs, then the workload.
while read -r gpu burst flit sms workload; do
    "$warpwatt" run --gpu "$gpu" --workload "$workload" --out own --force --quiet
    "$warpwatt" power --activity own/activity.xml --json >own.json
    python3 "$source/tests/cli/foreign.py" own/activity.xml "$burst" "$flit" "$sms" theirs
    for from in 'gpgpusim theirs.log' 'accelsim theirs.log theirs.aw' 'accelsim theirs.xml theirs.log theirs.aw' 'ncu theirs.csv'; do
        # shellcheck disable=SC2086
        "$warpwatt" power --from $from --gpu "$gpu" --json >again.json || { fail "$gpu $workload $from"; continue; }
        agree "$(dynamic <again.json)" "$(dynamic <own.json)" 0.12 "$gpu $workload ${from%% *}"
        grep -q '"counter": "sm.sched.select"' again.json || fail "$from does not say what it estimates"
    done
done <<'LIST'
qv100 32 40 80 vectoradd:small
qv100 32 40 80 scan:small
gtx480 64 32 15 vectoradd:small
gtx480 64 32 15 backprop:small
LIST
# Results go on as those of a run do: activity.xml has the same energy, and a report reads the folder.
"$warpwatt" power --from ncu theirs.csv --gpu gtx480 --out kept --quiet
"$warpwatt" power --from ncu theirs.csv --gpu gtx480 --json >direct.json
"$warpwatt" power --activity kept/activity.xml --json >again.json
agree "$(total <again.json)" "$(total <direct.json)" 1e-9 'kept activity'
"$warpwatt" analyze breakdown kept >/dev/null || fail 'analyze of a foreign result'
"$warpwatt" report kept --out page.html --quiet || fail 'report of a foreign result'
"$warpwatt" power --from gpgpusim theirs.log --gpu gtx480 | grep -q 'of the energy rests on what gpgpusim does not tell' || fail 'no word of estimates'
head -c 1500 theirs.log >cut.log
expect 1 'cut.log:[0-9]*: error: .*is the file cut?' power --from gpgpusim cut.log --gpu gtx480
sed 's/gpu_sim_cycle = .*/gpu_sim_cycle = nan/' theirs.log >nan.log
expect 1 'nan.log:5: error:' power --from gpgpusim nan.log --gpu gtx480
expect 1 'no line begins with' power --from ncu theirs.log --gpu gtx480
expect 1 "from 'nvprof'" power --from nvprof theirs.csv --gpu gtx480
expect 2 'needs --gpu' power --from ncu theirs.csv
expect 2 'needs the file' power --from ncu --gpu gtx480
expect 2 'one file' power --from ncu theirs.csv theirs.csv --gpu gtx480
finish
