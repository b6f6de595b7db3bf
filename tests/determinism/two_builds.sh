#!/bin/sh
# Do two builds simulate the same machine? Runs both on every GPU named, with every mechanism named, and compares as bytes
# what depends on time and activity: every counter of every launch (activity.xml, counters.csv), cycles (kernels.csv) and
# power over intervals that are no multiple of a window (trace.csv). A run that one of them refuses must be refused by the
# other in the same words. Fails with the names of the runs that differ, and keeps their files.
# Usage: two_builds.sh [-g GPU,...] [-w WORKLOAD[:SIZE],...] [-m MECH,...] [-o "OPTION..."] BEFORE AFTER SCRATCH-DIR
#   -g  machines; when omitted, every one of 'list gpus'
#   -w  workloads; when omitted, all:small
#   -m  mechanisms, each by itself, beside none; all: every one of 'list mechs'; when omitted, none
#   -o  more options for both, such as "--isa ptx" or "--threads 2"
# WARPWATT_CONFIGS, where set, holds for both builds; otherwise each reads its own tree's descriptions. That one of them knows
# a parameter that the other does not (config_hash) is no difference.
set -eu
usage() {
    sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
    exit 2
}
gpus='' workloads=all:small mechs='' options=''
while getopts g:w:m:o: option; do
    case $option in
    g) gpus=$OPTARG ;;
    w) workloads=$OPTARG ;;
    m) mechs=$OPTARG ;;
    o) options=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 3 ] || usage
before=$1 after=$2 scratch=$3
names() { "$after" list "$1" --json | sed -n 's/^ *"name": "\([^"]*\)".*/\1/p'; }
[ -n "$gpus" ] || gpus=$(names gpus)
[ "$mechs" != all ] || mechs=$(names mechs)
mkdir -p "$scratch"

# simulate PROGRAM DIR GPU MECH: its files in DIR, or what it said in DIR/refused.
simulate() {
    rm -rf "$2"
    set -- "$1" "$2" run --gpu "$3" --workload "$workloads" --interval 997 --quiet ${4:+--mech "$4"} --out "$2"
    program=$1 out=$2
    shift 2
    # shellcheck disable=SC2086 # options are words
    if ! "$program" "$@" $options 2>"$out.said"; then
        mkdir -p "$out"
        mv "$out.said" "$out/refused"
    fi
    rm -f "$out.said"
}

differ=0 runs=0
for gpu in $(echo "$gpus" | tr , ' '); do
    for mech in '' $(echo "$mechs" | tr , ' '); do
        name=$(basename "$gpu" .xml)${mech:+-$mech}
        simulate "$before" "$scratch/$name.before" "$gpu" "$mech"
        simulate "$after" "$scratch/$name.after" "$gpu" "$mech"
        runs=$((runs + 1))
        for side in before after; do
            [ ! -e "$scratch/$name.$side/activity.xml" ] || sed -i '2s/ config_hash="[^"]*"//' "$scratch/$name.$side/activity.xml"
        done
        compared=0 same=yes
        for file in activity.xml counters.csv kernels.csv trace.csv refused; do
            [ -e "$scratch/$name.before/$file" ] || [ -e "$scratch/$name.after/$file" ] || continue
            compared=$((compared + 1))
            cmp "$scratch/$name.before/$file" "$scratch/$name.after/$file" || same=no
        done
        if [ $compared -gt 0 ] && [ $same = yes ]; then
            rm -rf "$scratch/$name.before" "$scratch/$name.after"
        else
            echo "$name differs: see $scratch/$name.before and $scratch/$name.after"
            differ=$((differ + 1))
        fi
    done
done
echo "$runs runs compared, $differ differ"
[ $runs -gt 0 ] && [ $differ -eq 0 ]
