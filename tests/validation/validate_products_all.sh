#!/bin/sh
# validate_products_all.sh WARPWATT: of all rows, are the orders, zeros and swings that were met still met, and does the command end as its table
# says, with what is missed marked?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1

status=0
"$warpwatt" validate products > "$work/all.txt" || status=$?
for met in "a100 fp16 rank" "a100 fp16 zeros" "a100 fp16-t rank" "a100 fp16-t zeros" "a100 fp16-t swing" "a100 fp32 rank" "a100 fp32 zeros" \
    "a100 fp32 swing" "h100 fp16 rank" "h100 fp16 zeros" "h100 fp16 swing" "rtx6000 fp16 rank" "rtx6000 fp16 zeros" "rtx6000 fp16 swing"; do
    grep -q "^$met .* met" "$work/all.txt" || fail "$met is not met: $(grep "^$met" "$work/all.txt")"
done
missed=0
grep -q ' MISSED' "$work/all.txt" && missed=1
[ "$status" = "$missed" ] || fail "ends with $status: $(cat "$work/all.txt")"
