#!/bin/sh
# validate_h264.sh WARPWATT SOURCE: does `validate h264` accept the published numbers themselves as results, and tell others?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
tables=$2/tests/validation/lpgpu

# results SU: the folders of a sweep that repeats the published tables, 4x4 luma with SU lanes more, every mode changed as the text says of the mean.
results() {
    rm -rf "$work/results"
    awk -F, -v more="$1" -v out="$work/results" '
        FILENAME ~ /configurations/ {
            if (FNR > 1) { ipc[$1 $2] = 1 + $5 / 100; power[$1 $2] = 1 + $6 / 100; energy[$1 $2] = 1 + $7 / 100 }
            next
        }
        FNR == 1 { next }
        {
            for (set = 0; set <= 4; set++) {
                name = set ? "config" set : "base"
                folder = out "/" name "/" $2 "-default"
                system("mkdir -p " folder)
                print "workload,kernel,launch,registers [1/thread],shared [B/CTA],ctas_per_sm [1],cycles [cycle],time [s],IPC,TI [million],AI,BI,MI,CE,SU,PS,AW" > (folder "/kernels.csv")
                print "workload,kernel,launch,component,event_energy [J],background_energy [J],leakage_energy [J],dynamic_power [W]" > (folder "/power.csv")
                for (k = 0; k < 2; k++) {
                    kernel = k ? "mc_luma" : "mc_chroma"
                    i = kernel name in ipc ? ipc[kernel name] : 1
                    w = kernel name in ipc ? 50 * power[kernel name] : 50
                    t = kernel name in ipc ? energy[kernel name] / power[kernel name] : 1
                    su = $(7 + 2 * k) + (k && $3 == 4 ? more : 0)
                    print $2 "," kernel "," k ",20," 6144 * k ",8,1000," t "," $(6 + 2 * k) * i ",1,1,0,0,1," su ",0.5,16" > (folder "/kernels.csv")
                    print $2 "," kernel "," k ",RF," w * t ",0,0," w > (folder "/power.csv")
                    print $2 "," kernel "," k ",TOTAL," w * t ",0,0," w > (folder "/power.csv")
                }
                close(folder "/kernels.csv")
                close(folder "/power.csv")
            }
        }' "$tables/h264_configurations_gtx580.csv" "$tables/h264_modes_gtx580.csv"
}

results 0
"$warpwatt" validate h264 --results "$work/results" > "$work/same.txt" || fail "the published numbers miss a bar"
grep -q 'AllBFrameRef16  *447 / 447  *31.8 / 31.8  *366 / 366  *31.3 / 31.3' "$work/same.txt" || fail "no modes"
grep -q 'shared memory per SM \[KiB\]  *0 / 0  *48 / 48' "$work/same.txt" || fail "no resources"
grep -q 'mc_luma  *config4  *+45 / +45  *+45 to +45  *+26 / +26  *-13 / -13  *-13' "$work/same.txt" || fail "no changes"
"$warpwatt" validate h264 --results "$work/results" --json | grep -q '"dynamic_energy_pct": -16' || fail "no JSON"
"$warpwatt" validate h264 --results "$work/results" --markdown | grep -q '^| AllPFrameRef1 | 448 / 448 |' || fail "no Markdown"

results 9.5
misses 'SU falls .*MISSED' "$warpwatt" validate h264 --results "$work/results"

results 0
sed -i 's/,RF,43/,RF,86/; s/,TOTAL,43/,TOTAL,86/' "$work"/results/config4/*/power.csv
misses 'mc_luma, config4.*MISSED' "$warpwatt" validate h264 --results "$work/results"
rm -r "$work/results/base/h264-mc-default"
refuses 'h264-mc/mc_chroma' "$warpwatt" validate h264 --results "$work/results"
