#!/bin/sh
# validate_products.sh WARPWATT SOURCE: of a part of the rows, is a card's product of zeros met, is a wrong one told, and are tables
# that cannot be fitted refused?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
table=$2/tests/validation/power/products.csv

grep -E '^gpu,|^h100,fp16,(2-gaussian-mean,(1|64|1024|4096|16384)|11-sparsity,(0.0|0.5|1.0)),' "$table" > "$work/part.csv"
"$warpwatt" validate products --reference "$work/part.csv" > "$work/part.txt" || fail "a judged row is missed"
grep -q 'h100 fp16 zeros .* met' "$work/part.txt" || fail "zeros are not judged: $(cat "$work/part.txt")"
awk '$3 == "11-sparsity" { rows++; if ($10 != "looked") exit 1 } END { exit rows != 1 }' "$work/part.txt" || fail "rows are not said to be looked at"

sed 's/^\(h100,fp16,11-sparsity,1.0,\)[0-9.]*/\140/' "$work/part.csv" > "$work/wrong.csv"
misses 'zeros .*MISSED' "$warpwatt" validate products --reference "$work/wrong.csv"

grep -E '^gpu,|11-sparsity' "$work/part.csv" > "$work/unfit.csv"
refuses 'unfit.csv:2:.*lines to fit to' "$warpwatt" validate products --reference "$work/unfit.csv"
for wrong in 's/11-sparsity/12-noise/' 's/,fp16,/,fp12,/' 's/^h100/h1000/'; do
    sed "$wrong" "$work/part.csv" > "$work/wrong.csv"
    refuses . "$warpwatt" validate products --reference "$work/wrong.csv"
done
