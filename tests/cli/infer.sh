#!/bin/sh
# infer from end to end: a pass's sums are those of its operators and gaps, the host's interval costs idle power, and hostile or impossible passes are refused before anything runs.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
export WARPWATT_CACHE=off
infer() { "$warpwatt" infer "$@"; }
cat >"$work/pass.csv" <<'END'
operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count
elementwise,pointwise_add,,,65536,,,"{""prec"": ""bf16""}",3
layernorm,,bf16,128,512,,,,2
softmax,,bf16,512,64,,,,2
gemm,,tc/bf16_bf16,1,256,128,96,,4
END
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 900MHz --json --out "$work/result" >"$work/own.json" 2>"$work/notes"
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 900MHz --json --launch-interval 100us >"$work/host.json" 2>"$work/host.notes"
value() { tr -d ' ",' <"$work/$1.json" | awk -F: -v name="$2" '$1 == name { v = $2 } END { print v }'; } # the last of that name
sum() { tr -d ' ",' <"$work/$1.json" | awk -F: -v name="$2" -v n="$3" '$1 == name { if (i++ < n) s += $2 * c } $1 == "count" { c = $2 } END { print s }'; }
near() { awk -v a="$1" -v b="$2" -v rel="$3" -v what="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; if (!(b > 0) || d > rel * b) { print what ": " a ", expected " b; exit 1 } }'; }
# 11 launches of 100 us, and the card idles at 47.4 W (measured at 900 MHz): 47 to 49
near "$(value host time_ms)" 1.1 0.001 "time of a pass that the host holds up"
busy=$(awk -v t="$(sum own time_us 4)" 'BEGIN { print t }')
near "$(value own time_ms)" "$(awk -v t="$busy" 'BEGIN { print t * 1e-3 + 11 * 0.0017 }')" 0.01 "kernels and gaps"
near "$(awk -v a="$(value host energy_j)" -v b="$(value own energy_j)" -v s="$(value own time_ms)" 'BEGIN { print (a - b) / ((1.1 - s) * 1e-3) }')" 48 0.03 "power while the host launches nothing"
[ "$(grep -c 'gemm 1x256x128x96 bf16' "$work/result/kernels.csv")" = 1 ] || fail "no row of the product"
# The die stands where its own power keeps it: 324.7 K and 0.0952 K/W, of an A100 PCIe; its watts are those of that temperature, which its activity tells.
near "$(awk -v t="$(value own die_k)" 'BEGIN { print t - 324.7 }')" "$(awk -v w="$(value own power_w)" 'BEGIN { print 0.0952 * w }')" 0.02 "the die's rise"
"$warpwatt" power --activity "$work/result/activity.xml" --quiet --out "$work/again" || fail "the pass's activity"
cmp "$work/result/power.csv" "$work/again/power.csv" || fail "its activity has other watts than the pass"
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 900MHz --json --set chip.temperature_k=350 >"$work/hot.json" 2>"$work/notes"
near "$(value hot die_k)" 350 1e-9 "a temperature that is set"
awk -v h="$(value hot power_w)" -v o="$(value own power_w)" 'BEGIN { if (!(h > o + 5)) { print "at 350 K " h " W, settled " o; exit 1 } }' || fail "heat costs nothing"
# The result's operators sum to the pass, and its page shows them, and rooflines that no product passes.
near "$(awk -F, 'NR > 1 { s += $7 } END { print s }' "$work/result/operators.csv")" "$(value own energy_j)" 0.02 "joules of operators.csv"
near "$(awk -F, '$2 == "gemm" { print $12 }' "$work/result/operators.csv")" 1.99e14 0.01 "peak of the matrix units at 900 MHz"
"$warpwatt" report "$work/result" --out "$work/page.html" >/dev/null || fail "no page of a pass"
for plot in pass-time pass-energy roofline-time roofline-energy; do [ -s "$work/page-files/$plot.svg" ] || fail "the page lacks $plot"; done
grep -q '4 × gemm 1x256x128x96 bf16' "$work/page-files/pass-energy.svg" || fail "the waterfall lacks the product"
awk -F, 'NR > 1 && $3 > 1.05 * $4 && $1 ~ /^gemm/ { print $1 " is above its roof"; exit 1 }' "$work/page-files/roofline.csv"
# Passes beside each other: the one that takes least time and the one that takes least energy are on the front, one that the host holds up is not.
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 1410MHz --quiet --out "$work/fast"
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 900MHz --launch-interval 100us --quiet --out "$work/slow"
"$warpwatt" report "$work/slow" "$work/result" "$work/fast" --out "$work/front.html" >/dev/null || fail "no page of three passes"
[ "$(awk -F, 'NR > 1 { printf "%s %s;", $1, $5 }' "$work/front-files/passes.csv")" = "fast 1;result 1;slow 0;" ] || { cat "$work/front-files/passes.csv"; fail "the front"; }
grep -q '>fast<' "$work/front-files/passes.svg" || fail "the front is not named"
# A deep product of few CTAs takes longer than its shallow part, which waits for memory alone.
head -n 1 "$work/pass.csv" >"$work/deep.csv"
cp "$work/deep.csv" "$work/shallow.csv"
echo 'gemm,,tc/bf16_bf16,1,200,8,2048,,1' >>"$work/deep.csv"
echo 'gemm,,tc/bf16_bf16,1,200,8,256,,1' >>"$work/shallow.csv"
for depth in deep shallow; do "$warpwatt" infer "$work/$depth.csv" --gpu a100-pcie --json >"$work/$depth.json" 2>"$work/notes"; done
awk -v a="$(value deep time_ms)" -v b="$(value shallow time_ms)" 'BEGIN { if (!(a > 1.5 * b)) { print "K 2048 takes " a " ms, K 256 " b; exit 1 } }'
"$warpwatt" infer --model llama-2-7b --sequence 128 --phase decode --operators >"$work/decode.csv"
grep -q '^attention,,tc/bf16_bf16,1,1,129,128,' "$work/decode.csv" || fail "no attention in the decoded token"
"$warpwatt" infer --model bert-large --batch 8 --sequence 512 --operators | grep -q '^gemm,,tc/bf16_bf16,1,1024,4096,1024,,96$' || fail "BERT's products"
refuses 'needs --gpu' infer "$work/pass.csv"
refuses 'one pass' infer --gpu a100-pcie
refuses "did you mean 'gpt2'" infer --gpu a100-pcie --model gpt3
refuses '1024 positions' infer --gpu a100-pcie --model gpt2 --sequence 4096
refuses 'mixtral-8x7b bf16 1x1 needs 93.7 GB of memory: weights 93.4, .*(mem.capacity_bytes)' infer --gpu a100-pcie --model mixtral-8x7b --phase decode --sequence 1
refuses 'keys and values 21.5' infer --gpu a10 --model llama-2-7b --phase decode --sequence 1024 --batch 40
head -n 1 "$work/pass.csv" >"$work/huge.csv"
echo 'gemm,,tc/bf16_bf16,1,16,65536,65536,,6' >>"$work/huge.csv"
refuses 'weights 51.5,' infer --gpu a100 "$work/huge.csv"
head -n 1 "$work/pass.csv" >"$work/fp8.csv"
sed -n 2p "$work/pass.csv" >>"$work/fp8.csv"
echo 'gemm,,tc/fp8_fp8,1,64,64,64,,1' >>"$work/fp8.csv"
refuses 'no kernel for gemm 1x64x64x64 fp8: .*8.9; in int8' infer --gpu a100-pcie "$work/fp8.csv"
head -n 1 "$work/pass.csv" >"$work/heads.csv"
echo 'attention,,tc/bf16_bf16,1,4,4,80,"{""heads"": 2, ""kv_heads"": 2, ""causal"": true}",1' >>"$work/heads.csv"
refuses 'no kernel for attention .*heads of 64 and 128' infer --gpu a100-pcie "$work/heads.csv"
refuses 'exclude each other' infer --gpu a100-pcie --graphs --launch-interval 3us "$work/pass.csv"
printf 'operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count\ngemm,,tc/bf16_bf16,1,0,1,1,,1\n' >"$work/zero.csv"
refuses 'zero.csv:2:1: .*m_or_dim' infer --gpu a100-pcie "$work/zero.csv"
# What was simulated is remembered: the same bytes from a full folder, a damaged, a cut and a strange entry, a folder that cannot be written, and none.
pass() { "$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --json "$@" 2>"$work/notes"; }
pass --cache off >"$work/fresh.json"
pass --cache "$work/cache" >"$work/first.json"
pass --cache "$work/cache" >"$work/second.json"
cmp "$work/fresh.json" "$work/first.json" && cmp "$work/fresh.json" "$work/second.json" || fail "memory changes a result"
[ "$(ls "$work/cache" | wc -l)" -ge 4 ] || fail "operators are not remembered"
before=$(ls "$work/cache")
# What counts cost is no part of what was counted: another energy finds all of it, another machine nothing.
pass --cache "$work/cache" --set power.rf_factor=2 >"$work/dear.json"
[ "$(ls "$work/cache")" = "$before" ] || fail "a setting of power simulates anew"
pass --cache off --set power.rf_factor=2 >"$work/dear-fresh.json"
cmp "$work/dear.json" "$work/dear-fresh.json" || fail "another energy with remembered counters differs"
cmp -s "$work/dear.json" "$work/fresh.json" && fail "a setting of power changes nothing"
pass --cache "$work/cache" --set l2.ways=8 >/dev/null
[ "$(ls "$work/cache" | wc -l)" -gt "$(echo "$before" | wc -l)" ] || fail "another machine's operators are taken for this one's"
set -- $before
printf 'x' | dd of="$work/cache/$1" bs=1 seek=200 conv=notrunc 2>/dev/null
: >"$work/cache/$2"
cp "$work/cache/$4" "$work/cache/$3"
pass --cache "$work/cache" >"$work/damaged.json"
cmp "$work/fresh.json" "$work/damaged.json" || fail "a damaged memory changes a result"
[ "$(grep -c 'damaged, and simulated anew' "$work/notes")" = 2 ] || fail "two damaged entries are not told of"
pass --cache "$work/cache" >"$work/healed.json"
grep -q damaged "$work/notes" && fail "a damaged entry is not replaced"
: >"$work/file"
pass --cache "$work/file/cache" >"$work/nowhere.json"
grep -q '^warning: operators are not remembered' "$work/notes" || fail "a folder that cannot be made is not told of"
cmp "$work/fresh.json" "$work/nowhere.json" || fail "no memory changes a result"
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --json --cache "$work/shared" >"$work/a.json" 2>/dev/null &
other=$!
pass --cache "$work/shared" >"$work/b.json"
wait "$other"
cmp "$work/fresh.json" "$work/a.json" && cmp "$work/fresh.json" "$work/b.json" || fail "two processes at a folder change a result"
pass --tune off --cache off >"$work/rule.json"
refuses '--tune can be off' infer --gpu a100-pcie --tune on "$work/pass.csv"
# A product of few tiles and much depth is split, and its kernel says so.
head -n 1 "$work/pass.csv" >"$work/skinny.csv"
echo 'gemm,,tc/bf16_bf16,1,64,64,8192,,1' >>"$work/skinny.csv"
"$warpwatt" infer "$work/skinny.csv" --gpu a100-pcie --json --cache off 2>/dev/null | grep -q '"kernel": "gemm_bf16_tn_64x64/[0-9]' || fail "a skinny product is not split"
# What a kernel writes is written back to DRAM by those behind it: 6.3 MB of it, where the L2 has 40; and what it reads comes from there.
head -n 1 "$work/pass.csv" >"$work/stream.csv"
echo 'elementwise,scalar_mul,,,3145728,,,"{""prec"": ""bf16""}",1' >>"$work/stream.csv"
"$warpwatt" infer "$work/stream.csv" --gpu a100-pcie --quiet --out "$work/stream"
for way in read write; do
    near "$(awk -F, -v name="channel.dram.$way" '$2 == name { print $3 * 32 }' "$work/stream/counters.csv")" 6291456 0.05 "bytes of DRAM, $way"
done
# A decoded token reads the keys and values that it finds: 4 sequences x 512 x 8 heads x 128 x 2 of two bytes, and writes next to nothing.
head -n 1 "$work/pass.csv" >"$work/cache.csv"
echo 'attention,,tc/bf16_bf16,4,1,512,128,"{""heads"": 32, ""kv_heads"": 8, ""causal"": true}",1' >>"$work/cache.csv"
"$warpwatt" infer "$work/cache.csv" --gpu a100-pcie --quiet --out "$work/cached"
near "$(awk -F, '$2 == "channel.dram.read" { print $3 * 32 }' "$work/cached/counters.csv")" 8388608 0.05 "bytes of DRAM that a decoded token reads"
# A pass beyond the board's power is told of.
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --set chip.tdp_w=70 --set chip.rise_k=6.7 --json >/dev/null 2>"$work/notes"
grep -q "the board's power is 70 W: .*--power-cap 70W" "$work/notes" || { cat "$work/notes"; fail "a pass beyond the board's power is not told of"; }
grep -q "board's power" "$work/host.notes" && fail "a pass within the board's power is told to be beyond it"
# What nothing measured is like is told: of decoding, of kernels that eager PyTorch has not, and of a card.
"$warpwatt" infer "$work/cache.csv" --gpu a100 >/dev/null 2>"$work/notes"
grep -q '^unvalidated, no measured pass has it: A100 SXM4 40GB; attention in one kernel$' "$work/notes" || { cat "$work/notes"; fail "an unmeasured card is not told of"; }
grep -q unvalidated "$work/host.notes" && fail "a measured card's pass is called unvalidated"
# A card with a divided L2 and clusters of unequal size.
"$warpwatt" infer "$work/pass.csv" --gpu h100 --json >"$work/h100.json" 2>"$work/notes"
awk -v h="$(value h100 time_ms)" -v a="$(value own time_ms)" 'BEGIN { if (!(h > 0 && h < a)) { print "an H100 takes " h " ms, an A100 at 900 MHz " a; exit 1 } }'
