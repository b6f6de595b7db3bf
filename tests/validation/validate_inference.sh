#!/bin/sh
# validate inference: a result of `infer` is set beside the measured pass of its name with the joules and seconds that the result
# itself states, nothing to compare fails, and the pass that the host binds is summed up apart.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
export WARPWATT_CACHE=off
failing "$warpwatt" validate inference --results "$work"
cat >"$work/pass.csv" <<'END'
operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count
elementwise,pointwise_add,,,65536,,,"{""prec"": ""bf16""}",3
END
for name in a100-gpt2model_gpt2-bf16-1x128-900 a100-gpt2model_gpt2-bf16-8x512-900; do
    "$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 900MHz --json --out "$work/$name" >"$work/pass.json" 2>/dev/null
done
"$warpwatt" validate inference --results "$work" >"$work/table"
joules=$(tr -d ' ",' <"$work/pass.json" | awk -F: '$1 == "energy_j" { v = $2 } END { print v }')
awk -v joules="$joules" '
    $1 == "a100-gpt2model_gpt2-bf16-8x512-900" && $3 == "energy" {
        found = 1
        if ($5 != 3.343 || ($6 - joules) ^ 2 > 1e-6) { print "measured " $5 ", ours " $6 ", the result says " joules; exit 1 }
    }
    END { if (!found) { print "the pass is not compared"; exit 1 } }' "$work/table"
grep -q '^a100 *energy mean error *[0-9.]* % over 1 passes' "$work/table" || fail "a pass of the device is not summed up alone"
grep -q '^a100, host *energy mean error *[0-9.]* % over 1 passes' "$work/table" || fail "a pass of the host is not summed up apart"
grep -q 'whose measurement is broken' "$work/table" || fail "the broken measurement is not named"
grep -q '^a100 *rooflines at rated power: time [0-9.]* %, energy [0-9.]* %' "$work/table" || fail "rooflines are not told"
grep -q '^intervals of 95 % hold [0-9]* % of 2 measured values of energy' "$work/table" || fail "whether intervals hold is not told"
grep -q '^a100_power: [0-9.]* over 1 of [1-9][0-9], not judged' "$work/table" || fail "a part of a set is judged"
# A whole set is judged: of one pass that is measured as it is simulated, and of one that draws half as much again.
sed 's/,3$/,30000/' "$work/pass.csv" >"$work/long.csv"
"$warpwatt" infer "$work/long.csv" --gpu a100-pcie --clock 900MHz --json --out "$work/whole/a100-gpt2model_gpt2-bf16-8x512-900" >"$work/pass.json" 2>/dev/null
value() { tr -d ' ",' <"$work/pass.json" | awk -F: -v name="$1" '$1 == name { v = $2 } END { print v }'; }
for factor in 1 1.5; do
    awk -v factor="$factor" -v j="$(value energy_j)" -v ms="$(value time_ms)" 'BEGIN {
        print "set,model,precision,batch,sequence,mode,attention,set_mhz,mean_mhz,energy_J,time_ms,temp_C,iterations"
        print "a100,gpt2model_gpt2,bf16,8,512,prefill,,900,900," j * factor "," ms ",40,100" }' >"$work/whole-$factor.csv"
done
"$warpwatt" validate inference --results "$work/whole" --reference "$work/whole-1.csv" >"$work/judged" || { cat "$work/judged"; fail "a pass as it is measured misses a bar"; }
grep -q '^a100_power: [0-9.e-]* over 1 of 1, met' "$work/judged" || { cat "$work/judged"; fail "a whole set is not judged"; }
misses '^a100_power: [0-9.e-]* over 1 of 1, MISSED' "$warpwatt" validate inference --results "$work/whole" --reference "$work/whole-1.5.csv"
# A part is judged when it has ten passes, and says that it is one.
head -n 1 "$work/whole-1.csv" >"$work/part.csv"
for mhz in 901 902 903 904 905 906 907 908 909 910 911; do
    tail -n 1 "$work/whole-1.5.csv" | sed "s/,900,900,/,900,$mhz,/" >>"$work/part.csv"
    [ $mhz = 911 ] || cp -r "$work/whole/a100-gpt2model_gpt2-bf16-8x512-900" "$work/whole/a100-gpt2model_gpt2-bf16-8x512-$mhz"
done
misses '^a100_power: [0-9.e-]* over 10 of 11, MISSED by a part$' "$warpwatt" validate inference --results "$work/whole" --reference "$work/part.csv"
grep -q '^a100_time: [0-9.e-]* over 10 of 11, met by a part$' "$work/out" || { cat "$work/out"; fail "a part of a set does not say so"; }
rm -r "$work/whole/a100-gpt2model_gpt2-bf16-8x512-910"
"$warpwatt" validate inference --results "$work/whole" --reference "$work/part.csv" >"$work/judged" || { cat "$work/judged"; fail "nine passes of eleven are judged"; }
# Three clocks of a series, of one pass: our energies over the least of them are 1 only once.
for mhz in 1140 1230 1320; do
    for name in $(awk -F, -v mhz="$mhz" '$1 == "a100-dvfs" && $2 == "gpt2model_gpt2" && $3 == "bf16" && $4 == 32 && $5 == 512 && $8 == mhz { print "a100-dvfs-" $2 "-" $3 "-" $4 "x" $5 "-" $9 }' "$(dirname "$0")/inference/measured.csv"); do
        "$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock "${mhz}MHz" --json --force --out "$work/$name" >/dev/null 2>&1
    done
done
"$warpwatt" validate inference --results "$work" >"$work/table"
grep -q '^energy over the least of its series of clocks: mean error [0-9.]* %, at worst [0-9.]* %, over [3-9] passes' "$work/table" || { tail -20 "$work/table"; fail "a series of clocks is not compared"; }
grep -q '^series_worst: [0-9.]* over [3-9] of [1-9][0-9]*, not judged' "$work/table" || fail "a part of the series is judged"
# --out: what the folder lacks is run, of the passes asked for alone, and a second time nothing is, even where nothing can be run.
cat >"$work/reference.csv" <<'END'
set,model,precision,batch,sequence,mode,attention,set_mhz,mean_mhz,energy_J,time_ms,temp_C,iterations
a100,gpt2model_gpt2,bf16,1,8,prefill,,900,900,0.1,3,40,100
a10,gpt2model_gpt2,bf16,1,8,prefill,,900,900,0.1,3,40,100
END
validate_out() {
    "$warpwatt" validate inference --reference "$work/reference.csv" --out "$work/made" --passes 'a100-*' "$@"
}
validate_out --cache "$work/cache" >"$work/table" || { cat "$work/table"; fail "a pass is not run"; }
[ "$(ls "$work/made")" = a100-gpt2model_gpt2-bf16-1x8-900 ] || fail "other passes than those asked for are run"
[ -n "$(ls "$work/cache")" ] || fail "operators are not remembered where --cache says"
grep -q '^1 passes are not among those asked for' "$work/table" || fail "passes that are not asked for are not counted"
touch "$work/file"
validate_out --cache "$work/file" 2>"$work/err" | cmp -s - "$work/table" || fail "a second comparison differs"
[ ! -s "$work/err" ] || fail "a pass whose result is there is run again"
if validate_out --results "$work/made" >/dev/null 2>&1; then fail "--out and --results are taken together"; fi
