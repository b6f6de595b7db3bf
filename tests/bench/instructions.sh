#!/bin/sh
# How many host instructions does a simulated warp instruction cost, in one build or several? Counted by callgrind, which
# does not depend on what else the processor does: a workload's std less its small, so that start-up is not in it. Valgrind
# knows no AVX-512, so the AVX2 variants are what counts. Usage: instructions.sh [-m "MACHINE;..."] [-w WORKLOAD,...] PROGRAM...
#   -m  each a GPU and further options of 'run'; when omitted, "gtx480;qv100;gtx480-gpgpusim --isa ptx"
#   -w  workloads by name
set -eu
machines='gtx480;qv100;gtx480-gpgpusim --isa ptx'
workloads=matrixmul,vectoradd,spmv,hotspot
while getopts m:w: option; do
    case $option in
    m) machines=$OPTARG ;;
    w) workloads=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { echo "instructions.sh: no program" >&2; exit 2; }
. "$(dirname "$0")/../support/scratch.sh"

# executed PROGRAM ARGS...: host instructions.
executed() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'
}
# warps DIR: warp instructions of a result.
warps() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^warp_instructions/) c = i } NR > 1 { n += $c } END { print n }' "$1/kernels.csv"
}
printf '%-28s %-16s %12s' machine workload 'warp inst.'
for program in "$@"; do
    printf ' %12s' "Ir each"
done
echo
echo "$machines" | tr ';' '\n' | while read -r machine; do
    for workload in $(echo "$workloads" | tr , ' '); do
        # shellcheck disable=SC2086 # a machine is words
        for size in small std; do
            rm -rf "$work/$size"
            "$1" run --gpu $machine --workload "$workload:$size" --quiet --out "$work/$size"
        done
        count=$(($(warps "$work/std") - $(warps "$work/small")))
        printf '%-28s %-16s %12d' "$machine" "$workload" "$count"
        for program in "$@"; do
            # shellcheck disable=SC2086
            small=$(executed "$program" run --gpu $machine --workload "$workload:small" --quiet)
            # shellcheck disable=SC2086
            std=$(executed "$program" run --gpu $machine --workload "$workload:std" --quiet)
            printf ' %12d' $(((std - small) / count))
        done
        echo
    done
done
