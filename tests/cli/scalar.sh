#!/bin/sh
# check --scalar: a row per seed; in blocks of 16 x 16 the report's own takes values for scalars that are none, in rows of whole
# warps both find the same.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
rows() {
    "$warpwatt" check --scalar "$source/workloads/matrixmul/matrixmul.ptx" --gpu gt200-dart --block "$1" --kernel matrixMul
}
saved() { # SEED BLOCK
    rows "$2" | awk -v seed="$1" '$2 == seed { print $NF }'
}
[ "$(rows 16,16,1 | awk '$1 == "matrixMul"' | wc -l)" -eq 2 ]
report=$(saved report 16,16,1) correct=$(saved correct 16,16,1)
awk -v r="$report" -v c="$correct" 'BEGIN { exit !(r > c && c > 0) }' || { echo "slots saved: report $report, correct $correct"; exit 1; }
[ "$(saved report 32,8,1)" = "$(saved correct 32,8,1)" ]
[ "$(saved report 16,16,1)" = "$(saved report 32,8,1)" ]
refuses 'called none' "$warpwatt" check --scalar "$source/workloads/matrixmul/matrixmul.ptx" --kernel none
