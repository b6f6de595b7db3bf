#!/bin/sh
# validate_power.sh WARPWATT SOURCE: does `validate power` accept the published rows themselves as results, and tell others?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
tables=$2/tests/validation

# results FACTOR: a folder of results that repeats the published tables, with IPC and RF times FACTOR for every second kernel.
results() {
    rm -rf "$work/results"
    awk -F, -v factor="$1" -v out="$work/results" '
        { sub(/\r$/, "") }
        FILENAME ~ /kernel_map/ { if (FNR > 1) { workload[$1] = $2; kernel[$1] = $4 } next }
        FILENAME ~ /table1/ { if (FNR > 1) { metrics[$1] = $0 } next }
        FNR == 1 { for (i = 2; i <= 10; i++) { name[i] = $i } next }
        {
            folder = out "/" workload[$1]
            f = FNR % 2 ? factor : 1
            split(metrics[$1], m, ",")
            if (!(folder in seen)) {
                seen[folder] = 1
                system("mkdir -p " folder)
                print "workload,kernel,launch,cycles [cycle],time [s],IPC,TI [million],AI,BI,MI,CE,SU,PS,AW" > (folder "/kernels.csv")
                print "workload,kernel,launch,component,event_energy [J],background_energy [J],leakage_energy [J],dynamic_power [W]" > (folder "/power.csv")
            }
            key = workload[$1] "," kernel[$1] ",0,"
            print key "1000,1," m[2] * f "," m[3] "," m[4] "," m[5] "," m[6] "," m[7] "," m[8] "," m[9] "," 2 * m[10] > (folder "/kernels.csv")
            for (i = 2; i <= 10; i++) {
                w = name[i] == "RF" ? $i * f : $i
                print key name[i] "," w ",0,0," w > (folder "/power.csv")
            }
            print key "TOTAL," $11 ",0,0," $11 > (folder "/power.csv")
        }' "$tables/power/kernel_map.csv" "$tables/lpgpu/table1_metrics_gtx580.csv" "$tables/lpgpu/table7_component_power_gtx580_W.csv"
}

results 1
"$warpwatt" validate power --results "$work/results" > "$work/same.txt" || fail "the published rows miss a bar"
if grep -q MISSED "$work/same.txt"; then fail "the published rows are marked"; fi
grep -q 'IPC: Spearman  *1.000' "$work/same.txt" || fail "equal series do not correlate"
grep -q 'H264 MC Luma  *366 / 366' "$work/same.txt" || fail "no reconstructions"
"$warpwatt" validate power --results "$work/results" --json | grep -q '"missed_bars": 0' || fail "no missed_bars in the JSON"
"$warpwatt" validate power --results "$work/results" --markdown | grep -q '^| hotspot | 493 / 493 |' || fail "no Markdown table"

results 0.3
misses 'IPC: Spearman .*MISSED' "$warpwatt" validate power --results "$work/results"
grep -q 'RF: Pearson .*MISSED' "$work/out" || fail "a wrong component is not marked"

results 1
rm -r "$work/results/hotspot"
refuses '1 kernels have no result' "$warpwatt" validate power --results "$work/results"
refuses '--out DIR' "$warpwatt" validate power

# What is there at another size is told from nothing at all.
mkdir -p "$work/other/hotspot-small" "$work/none"
touch "$work/other/hotspot-small/kernels.csv"
refuses 'has results of hotspot at small; the comparison is at ' "$warpwatt" validate power --results "$work/other"
refuses 'has no results' "$warpwatt" validate power --results "$work/none"
