#!/bin/sh
# A sweep killed at any moment and resumed: no finished run is lost or repeated, and the results are those of a sweep
# that was left alone.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1

cat >"$work/sweep.xml" <<'XML'
<?xml version="1.0"?>
<sweep name="kill">
  <configuration name="base" gpu="gtx580"/>
  <configuration name="ctas" gpu="gtx580"><vary key="sm.max_ctas" values="2, 16"/></configuration>
  <workload name="vectoradd" size="std"/>
  <workload name="hotspot" size="std"/>
  <workload name="matrixmul" size="small"/>
</sweep>
XML

# Which runs are complete, and when each was made (a repeated run would be newer).
finished() { [ ! -d "$1" ] || find "$1" -path "*/.work" -prune -o -name sweep-run.txt -printf '%p %T@\n' | sort; }

"$warpwatt" sweep "$work/sweep.xml" --out "$work/whole" --quiet

tries=0
: >"$work/before"
while :; do
    "$warpwatt" sweep "$work/sweep.xml" --out "$work/killed" --quiet --jobs 2 &
    sweep=$!
    # Longer every time, so that it ends; from far too short to simulate anything.
    sleep "$((tries * 3 / 10)).$((tries * 3 % 10))"
    kill -KILL "$sweep" 2>/dev/null && killed=1 || killed=0
    wait "$sweep" 2>/dev/null || true
    finished "$work/killed" >"$work/after"
    if [ -n "$(comm -23 "$work/before" "$work/after")" ]; then
        echo "finished runs were lost or repeated:"
        comm -3 "$work/before" "$work/after"
        exit 1
    fi
    cp "$work/after" "$work/before"
    tries=$((tries + 1))
    [ "$(wc -l <"$work/after")" -eq 9 ] && break
    [ "$tries" -lt 200 ] || { echo "200 attempts did not finish 9 runs (last killed: $killed)"; exit 1; }
done
"$warpwatt" sweep "$work/sweep.xml" --out "$work/killed" --status --json >"$work/status"
[ "$(grep -c '"done": 3' "$work/status")" -eq 3 ] || { cat "$work/status"; exit 1; }
diff -r -x .work -x logs "$work/whole" "$work/killed"
[ -z "$(find "$work/killed/.work" -name '*.partial')" ] || { echo "partial results were left"; exit 1; }

# A set is a folder of runs: the analysis takes it as one.
"$warpwatt" analyze compare "$work/killed/base" "$work/killed/ctas,sm.max_ctas=2" >"$work/compare"
grep -q 'geometric mean' "$work/compare"
"$warpwatt" report "$work/killed/base" "$work/killed/ctas,sm.max_ctas=16" --out "$work/report.html" --quiet

# A sweep that defines no figures is a comparison of its configurations, with what their energies are uncertain by.
"$warpwatt" report "$work/killed" --out "$work/sweep.html" --quiet
grep -q '>Over sm.max_ctas<' "$work/sweep.html" || { echo "the sweep's page has no lines over what varies"; exit 1; }
head -1 "$work/sweep-files/comparison.csv" | grep -q 'plus_minus' || { head -1 "$work/sweep-files/"*.csv; exit 1; }
mkdir "$work/unrun" && cp "$work/killed/sweep.xml" "$work/unrun"
refuses 'unrun: no run of this sweep is complete' "$warpwatt" report "$work/unrun" --out "$work/unrun.html"

# A run without its kernels.csv is refused, not left out of the set.
rm "$work/killed/base/hotspot-std/kernels.csv"
refuses 'hotspot-std/kernels.csv.*is missing' "$warpwatt" analyze metrics "$work/killed/base"

# What failed, what is complete and what was never started are told apart.
sed 's/name="kill"/name="fails" max_cycles="10"/' "$work/sweep.xml" >"$work/fails.xml"
failing "$warpwatt" sweep "$work/fails.xml" --out "$work/fails" --task 0/9
refuses '1 of 9 runs failed, 0 are complete, 0 are running, 8 were not started' "$warpwatt" sweep "$work/fails.xml" --out "$work/fails" --status

# Faults of use: where they are, in the sweep's own file.
sed 's/values="2, 16"/values="2, 99999"/' "$work/sweep.xml" >"$work/range.xml"
refuses 'range.xml:4: error.*sm.max_ctas' "$warpwatt" sweep "$work/range.xml" --out "$work/o" --status
refuses --out "$warpwatt" sweep "$work/sweep.xml"
refuses --task "$warpwatt" sweep "$work/sweep.xml" --out "$work/o" --task 3/3
# A job array has no more tasks than there are runs. (tests/slurm has a real SLURM.)
mkdir "$work/bin"
printf '#!/bin/sh\necho 7\n' >"$work/bin/sbatch"
chmod +x "$work/bin/sbatch"
PATH="$work/bin:$PATH" "$warpwatt" sweep "$work/sweep.xml" --out "$work/array" --launcher slurm --jobs 100 >"$work/said"
grep -q 'submitted job 7: 9 runs in 9 tasks' "$work/said" || { cat "$work/said"; exit 1; }
grep -q -- '--array=0-8$' "$work/array/slurm.sh"
echo "resumed after $tries attempts"

# What it tells to type at its end compares all of them.
"$warpwatt" sweep "$work/sweep.xml" --out "$work/whole" --status >"$work/said"
sed -n 's/^  warpwatt //p' "$work/said" >"$work/next"
[ "$(wc -l <"$work/next")" -eq 2 ] || { cat "$work/said"; exit 1; }
cd "$work"
while read -r line; do
    # shellcheck disable=SC2086 # a command as it is typed
    "$warpwatt" $line >"$work/compared"
done <"$work/next"
[ -s compared.html ] || { echo "no page of the sweep"; exit 1; }
[ "$(grep -c 'sm.max_ctas' "$work/compared")" -ge 2 ] || { cat "$work/compared"; exit 1; }
