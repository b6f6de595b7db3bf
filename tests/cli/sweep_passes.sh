#!/bin/sh
# A sweep of models' passes: results are those of infer, a machine without the memory for one goes without it, faults are located, and the page has the front of time and energy of each pass.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
export WARPWATT_CACHE="$work/cache"
cat >"$work/pass.csv" <<'END'
operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count
elementwise,pointwise_add,,,65536,,,"{""prec"": ""bf16""}",3
gemm,,tc/bf16_bf16,1,256,128,96,,4
END
head -n 1 "$work/pass.csv" >"$work/large.csv"
echo 'gemm,,tc/bf16_bf16,1,16,65536,65536,,3' >>"$work/large.csv" # 25.8 GB of weights
cat >"$work/sweep.xml" <<'XML'
<?xml version="1.0"?>
<sweep name="passes">
  <configuration name="a100" gpu="a100-pcie" only="pass hosted"><vary key="clock.set_hz" values="600MHz, 1410MHz"/></configuration>
  <configuration name="capped" gpu="a100-pcie" only="pass"><parameter key="power.cap_w" value="50"/></configuration>
  <configuration name="a10" gpu="a10" only="large"/>
  <pass file="pass.csv"/>
  <pass file="pass.csv" label="hosted" launch_interval="100us"/>
  <pass file="large.csv"/>
</sweep>
XML
"$warpwatt" sweep "$work/sweep.xml" --out "$work/swept" --jobs 2 >"$work/said" 2>"$work/notes"
grep -q '^left out: pass needs 34.4 GB.* A10 has 25.8' "$work/notes" || { cat "$work/notes"; fail "a pass beyond a card's memory is not left out"; }
grep -q '^  warpwatt report .*swept --out' "$work/said" || { cat "$work/said"; fail "a sweep that is done does not tell what comes next"; }
grep '^  warpwatt analyze compare .*swept/capped' "$work/said" | grep -vq 'swept/a10\( \|$\)' || { cat "$work/said"; fail "a card whose passes are left out is named to be compared"; }
"$warpwatt" infer "$work/pass.csv" --gpu a100-pcie --clock 600MHz --quiet --out "$work/own"
for table in operators power energy_events counters; do
    cmp "$work/own/$table.csv" "$work/swept/a100,clock.set_hz=600MHz/pass/$table.csv" || fail "the sweep's $table.csv is not infer's"
done
awk -F, '$1 == "gaps" && $6 > 5e-4 { found = 1 } END { exit !found }' "$work/swept/a100,clock.set_hz=600MHz/hosted/operators.csv" || fail "a host's interval is not kept"
grep -q '"clock.core_hz"[^,]*1410' "$work/swept/capped/pass/run.json" && fail "a power cap does not lower the clock"
# Nothing is run twice, and the folder is whole without the files beside the sweep.
"$warpwatt" sweep "$work/sweep.xml" --out "$work/swept" --status --json >"$work/status" 2>/dev/null
grep -q '"done": 1' "$work/status" && grep -q '"done": 2' "$work/status" || { cat "$work/status"; fail "finished passes are to do again"; }
mv "$work/pass.csv" "$work/elsewhere.csv"
"$warpwatt" report "$work/swept" --out "$work/page.html" >/dev/null || fail "no page of a sweep's passes"
[ "$(awk -F'[",]' 'END { print $2 }' "$work/page-files/passes-hosted.csv")" = a100 ] || { cat "$work/page-files/passes-hosted.csv"; fail "passes of the host's interval"; }
grep -q '>a100 1410MHz<' "$work/page-files/passes-pass.svg" || fail "the fastest pass is not named on the front"
mv "$work/elsewhere.csv" "$work/pass.csv"
# Another table is another definition.
echo 'gemm,,tc/bf16_bf16,1,256,128,64,,1' >>"$work/pass.csv"
refuses 'holds results of another configuration' "$warpwatt" sweep "$work/sweep.xml" --out "$work/swept" --status
sed 's/file="large.csv"/model="gpt3" label="large"/' "$work/sweep.xml" >"$work/model.xml"
refuses "model.xml:8.*did you mean 'gpt2'" "$warpwatt" sweep "$work/model.xml" --out "$work/o"
sed 's/file="large.csv"/model="gpt2" sequence="4096"/' "$work/sweep.xml" >"$work/long.xml"
refuses 'long.xml:8.*1024 positions' "$warpwatt" sweep "$work/long.xml" --out "$work/o"
refuses 'is a pass, which has no budget' "$warpwatt" sweep "$work/sweep.xml" --reach
