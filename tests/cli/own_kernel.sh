#!/bin/sh
# The example of docs/launch-file.md works as the page says, and a faulty access is reported as promised.
set -eu
warpwatt=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"
"$warpwatt" check docs/examples/saxpy.ptx
"$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch docs/examples/saxpy.xml --out "$work/out" --quiet
[ "$(wc -l <"$work/out/y.csv")" -eq 17 ]
# y[i] = 2*(0.5*i) + random in [-1, 1]: between i - 1 and i + 1.
awk -F, 'NR > 1 && ($2 < $1 - 1 || $2 > $1 + 1) { print "wrong value:", $0; bad = 1 } END { exit bad }' "$work/out/y.csv"
sed 's/value="100000"/value="100096"/' docs/examples/saxpy.xml >"$work/far.xml"
if "$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch "$work/far.xml" --quiet 2>"$work/err"; then
    echo "an access outside the buffer was not noticed"
    exit 1
fi
grep -q 'saxpy' "$work/err" && grep -qE 'saxpy.ptx:[0-9]+' "$work/err" && grep -qi 'cta' "$work/err" && grep -qi 'thread' "$work/err" || {
    cat "$work/err"
    exit 1
}
