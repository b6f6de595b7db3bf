#!/bin/sh
# What do the places for mechanisms cost when none is active? Builds the program without them and compares executed host
# instructions (callgrind). Usage: seam_cost.sh SOURCE-DIR PROGRAM-WITH SCRATCH-DIR [WORKLOAD...]; fails at 1 % and above.
set -eu
source=$1
with=$2
scratch=$3
shift 3
[ $# -gt 0 ] || set -- vectoradd:small matrixmul:small backprop:small bfs:small
cmake -S "$source" -B "$scratch/without" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWW_MECHANISMS=OFF -DWW_TESTS=OFF >/dev/null
ninja -C "$scratch/without" cli/warpwatt >/dev/null
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" run --gpu gtx480 --workload "$2" --quiet 2>&1 |
        sed -n 's/.*Collected : //p'
}
status=0
for workload in "$@"; do
    off=$(count "$scratch/without/cli/warpwatt" "$workload")
    on=$(count "$with" "$workload")
    echo "$workload $off $on" | awk '{ more = 100 * ($3 / $2 - 1); printf "%-20s %12d %12d  %+.2f %%\n", $1, $2, $3, more; exit more >= 1 }' || status=1
done
exit $status
