#!/bin/sh
# Are the shipped workloads clean under --memcheck, but for the reads that docs/guide.md owns up to?
# Usage: memcheck.sh WARPWATT
set -eu
warpwatt=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
known='kernel (binomialOptionsKernel|mc_luma): uninitialized read by ld of [14] bytes in shared memory'
bad=0
for name in $("$warpwatt" list workloads | awk 'NR > 1 && NF { print $1 }'); do
    code=0
    "$warpwatt" run --gpu gtx480 --workload "$name:small" --no-timing --memcheck --quiet 2>"$work/err" || code=$?
    if grep '^memcheck: ' "$work/err" | grep -vE "$known" | grep . || { [ "$code" -ne 0 ] && ! grep -q '^memcheck: ' "$work/err"; }; then
        echo "$name: exit code $code"
        cat "$work/err"
        bad=1
    fi
done
exit $bad
