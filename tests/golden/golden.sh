#!/bin/sh
# Do runs still come out as they did when somebody last looked at them? Kernels' metrics and components' energies of small
# workloads on several machines, against the tables kept beside this script. A change of the model changes them: look at
# the difference, then `golden.sh WARPWATT SOURCE --update`. --exact: the same bytes, for another build on the same machine.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
here=$2/tests/golden
update=${3:-}
failures=0
tolerance=1e-9
[ "$update" != --exact ] || tolerance=0

# Text must be equal; numbers to 1e-9, for the last bits of exp and pow differ between C libraries.
same() {
    awk -F, -v name="$3" -v tolerance="$tolerance" '
        function number(s) { return s ~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ }
        function far(a, b) { d = a > b ? a - b : b - a; m = b < 0 ? -b : b; return d > tolerance * m }
        NR == FNR { kept[FNR] = $0; lines = FNR; next }
        {
            n = split(kept[FNR], old, ",")
            bad = n != NF
            for (i = 1; i <= NF && !bad; i++) {
                bad = number($i) && number(old[i]) ? far($i + 0, old[i] + 0) : $i != old[i]
            }
            if (bad && shown++ < 5) { printf "%s, line %d\n  kept: %s\n  now:  %s\n", name, FNR, kept[FNR], $0 }
            now = FNR
        }
        END { if (now != lines) { printf "%s: %d lines, %d kept\n", name, now, lines; shown++ } exit shown > 0 }' "$1" "$2"
}

check() {
    name=$1
    shift
    "$warpwatt" run "$@" --quiet --out "$work/$name"
    for table in kernels power area; do
        if [ "$update" = --update ]; then
            cp "$work/$name/$table.csv" "$here/$name-$table.csv"
        elif ! same "$here/$name-$table.csv" "$work/$name/$table.csv" "$name $table.csv"; then
            failures=$((failures + 1))
        fi
    done
}
check fermi --gpu gtx580 --workload matrixmul:small,bfs:small,blackscholes:small,mergesort:small
check fermi-ptx --gpu gtx480 --isa ptx --workload backprop:small,heartwall:small
check peer --gpu gtx480-gpgpusim --isa ptx --workload vectoradd:small,fastwalshtransform:small
check pascal --gpu gtx1080ti --workload hotspot:small,kmeans:small
check volta --gpu qv100 --workload montecarlo:small,h264-mc:small
[ "$failures" -eq 0 ] || { echo "$failures tables differ"; exit 1; }
