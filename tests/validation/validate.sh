#!/bin/sh
# validate.sh WARPWATT SOURCE: do `validate arrays` and `validate cycles` tell good tables from bad ones, in both formats?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
table=$2/tests/validation/arrays.csv

"$warpwatt" validate arrays --reference "$table" --rows > "$work/rows.txt" || fail "the shipped table misses a bar"
for text in 'sa_cache 45 nm' 'as-cacti7:' 'as-cactip:' 'forced partitions: 17 rows' 'RF bank 2KB x128b' '0 missed bars'; do
    grep -q -- "$text" "$work/rows.txt" || fail "no '$text'"
done

# Tools that had answered half the read energy: every judged slice must miss its bar.
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "read_energy_nJ") { c = i } } print; next }
    $c != "" { $c = $c / 2 } { print }' "$table" > "$work/half.csv"
misses 'MISSED' "$warpwatt" validate arrays --reference "$work/half.csv"
grep -q 'bars of' "$work/err" || fail "a wrong table is not explained"

refuses 'none.csv' "$warpwatt" validate arrays --reference "$work/none.csv"

"$warpwatt" validate arrays --json > "$work/arrays.json"
grep -q '"missed_bars": 0' "$work/arrays.json" || fail "no missed_bars in the JSON"
grep -q '"bar_p90": 0.3' "$work/arrays.json" || fail "no bars in the JSON"
"$warpwatt" validate structures > "$work/structures.txt"
grep -q 'dac-atq  *access  *5.30' "$work/structures.txt" || fail "no published energy of the ATQ"
"$warpwatt" array --structure dac-atq --json | grep -q '"quantity": "read"' || fail "no array of the ATQ"
"$warpwatt" array --list-structures | grep -q 'darsie-skip-table' || fail "no list of structures"
for quiet in "validate arrays" "validate structures" "array --structure dac-atq" "array --list-structures"; do
    test -z "$("$warpwatt" $quiet --quiet)" || fail "$quiet --quiet prints"
done
refuses 'bars of' "$warpwatt" validate arrays --quiet --reference "$work/half.csv"
refuses dac-alu "$warpwatt" array --structure dac-alu

# Cycles: the shipped program meets its bars; programs without PTX are named; a wrong table and wrong register counts are seen.
cycles=$2/tests/validation/cycles
"$warpwatt" validate cycles > "$work/cycles.txt" || fail "the shipped program misses a bar of cycles"
grep -q '^_null  *cycles' "$work/cycles.txt" && grep -q '^vectoradd:small  *cycles' "$work/cycles.txt" || fail "the shipped programs are not run"
grep -q 'not rerun.*vectorAdd' "$work/cycles.txt" || fail "programs without PTX are not named"
"$warpwatt" validate cycles --json | grep -q '"quantity": "dram_rd"' || fail "no DRAM reads in the JSON"
sed 's/^_null,1,755,256,8,/_null,1,755,256,9,/' "$cycles/gpgpusim.csv" > "$work/cycles.csv"
misses 'warp_inst.*MISSED' "$warpwatt" validate cycles --reference "$work/cycles.csv"
# Hardware: results of a program are summed over its launches and judged beside the peers; worse than the peer fails.
mkdir -p "$work/kept/one" "$work/kept/two"
printf 'kernel,cycles [cycle]\na,700\nb,350\n' > "$work/kept/one/kernels.csv"
printf 'kernel,cycles [cycle]\na,900\n' > "$work/kept/two/kernels.csv"
printf 'gpu,program,file,arguments,hw_cycles,ptx_peer,trace_peer,role,sample,bound\nqv100,one,one,,1000,1300,1400,judged,,latency\nqv100,two,two,,1000,,1100,judged,,compute\nqv100,none,none,,1,,,judged,,compute\n' > "$work/hw.csv"
"$warpwatt" validate cycles --hardware --reference "$work/hw.csv" --results "$work/kept" > "$work/hw.txt" || fail "better than the peer, and yet a miss"
grep -q 'one  *1000  *1050  *5.0  *30.0  *40.0  *yes' "$work/hw.txt" || fail "no errors of a program and its peer"
grep -q '^WarpWatt  *mean *7.5 %, median *7.5 % over 2 programs' "$work/hw.txt" || fail "no mean error"
grep -q '^bound by latency *: WarpWatt  *5.0 %, trace-driven peer  *40.0 % over 1$' "$work/hw.txt" || fail "no errors by class"
grep -q 'none$' "$work/hw.txt" || fail "a program without results is not named"
sed 's/,1300,/,1040,/' "$work/hw.csv" > "$work/hw2.csv"
refuses "mean error over the PTX-level peer's" "$warpwatt" validate cycles --hardware --reference "$work/hw2.csv" --results "$work/kept"
# A class that nobody knows, and a role, are errors with their place: such a row would count nowhere.
sed 's/,latency$/,latencies/' "$work/hw.csv" > "$work/hw4.csv"
refuses "hw4.csv:2:[0-9]*: .*bound 'latencies' is none of compute, bandwidth, shared, latency" "$warpwatt" validate cycles --hardware --reference "$work/hw4.csv" --results "$work/kept"
sed '3s/,judged,/,fitted,/' "$work/hw.csv" > "$work/hw4.csv"
refuses "hw4.csv:3:[0-9]*: .*role 'fitted'" "$warpwatt" validate cycles --hardware --reference "$work/hw4.csv" --results "$work/kept"
# Without a single row nothing is verified; nor is a bar with nothing to hold to it: the peer has none of these rows.
for form in hardware rates; do
    for json in "" --json; do
        refuses 'nothing is compared' "$warpwatt" validate cycles --$form $json
        if grep -q ' 0.0 %' "$work/out"; then fail "--$form prints errors of nothing"; fi
    done
done
sed 's/,1300,/,,/' "$work/hw.csv" > "$work/hw4.csv"
refuses "mean error over the PTX-level peer's" "$warpwatt" validate cycles --hardware --reference "$work/hw4.csv" --results "$work/kept"
# Rows that led to a change of the model count, and are shown apart.
sed 's/^qv100,two,\(.*\)judged/qv100,two,\1led/' "$work/hw.csv" > "$work/hw3.csv"
"$warpwatt" validate cycles --hardware --reference "$work/hw3.csv" --results "$work/kept" > "$work/hw3.txt" || fail "a row that led to a change fails"
grep -q 'led to no change  *mean *5.0 %, median *5.0 % over 1 programs' "$work/hw3.txt" || fail "rows that led to a change are not kept apart"
# Rates: the best of several launches, or the mean of repetitions of several launches each; what has no results is named.
mkdir -p "$work/kept/gtx480-a"
printf 'kernel,cycles [cycle],time [s]\nread<64>,1,2\nread<32>,1,4\nup,1,1\ndown,1,3\nup,1,3\ndown,1,1\n' > "$work/kept/gtx480-a/kernels.csv"
printf 'gpu,metric,results,file,arguments,sample,kernels,launches,work,value,unit\ngtx480,read,a,a,,,read,0,8e9,5,GB/s\ngtx480,sum,a,a,,,up|down,2,8e9,2,GB/s\ngtx480,none,b,b,,,up,1,1,1,GB/s\n' > "$work/rates.csv"
"$warpwatt" validate cycles --rates --reference "$work/rates.csv" --results "$work/kept" > "$work/rates.txt" || fail "rates are not compared"
grep -q 'read  *GB/s  *5.0  *4.0  *25.0' "$work/rates.txt" || fail "not the best rate"
grep -q 'sum  *GB/s  *2.0  *2.0  *0.0' "$work/rates.txt" || fail "not the mean of repetitions"
grep -q 'DIR): gtx480 none$' "$work/rates.txt" || fail "a rate without results is not named"
sed 's/up|down,2/up|down,3/' "$work/rates.csv" > "$work/rates2.csv"
refuses . "$warpwatt" validate cycles --rates --reference "$work/rates2.csv" --results "$work/kept"
# Memory: a pointer chase sees the latencies; a wrong one is seen.
printf 'gpu,quantity,value,unit,role,source\nqv100,shared_latency,19,cycle,set,x\nqv100,l2_latency,212,cycle,set,x\n' > "$work/memory.csv"
"$warpwatt" validate cycles --memory --reference "$work/memory.csv" > "$work/memory.txt" || fail "latencies of a QV100 are off"
grep -q 'l2_latency  *cycle  *212.0  *21[0-9]' "$work/memory.txt" || fail "no L2 latency"
if sed 's/,212,/,280,/' "$work/memory.csv" > "$work/memory2.csv" && "$warpwatt" validate cycles --memory --reference "$work/memory2.csv" > /dev/null 2>&1; then
    fail "a wrong latency passes"
fi
# Rates and chains of operations: the conversions of a QV100 come at a quarter of its products' rate; another rate is seen.
printf 'gpu,quantity,value,unit,role,source\nqv100,convert_rate,16,1/cycle,set,x\nqv100,multiply_rate,64,1/cycle,set,x\nqv100,shuffle_latency,22,cycle,set,x\n' > "$work/units.csv"
"$warpwatt" validate cycles --memory --reference "$work/units.csv" > "$work/units.txt" || fail "rates of a QV100 are off: $(cat "$work/units.txt")"
if sed 's/rate,16,/rate,64,/' "$work/units.csv" > "$work/units2.csv" && "$warpwatt" validate cycles --memory --reference "$work/units2.csv" > /dev/null 2>&1; then
    fail "a wrong rate passes"
fi
# Loads and stores that hit the L2 of a GTX TITAN X pass together: with slices of 32 B a cycle they take a quarter longer than on the card.
grep -E '^gpu,|^titanx-maxwell,l2_copy,' "$cycles/memory.csv" > "$work/copy.csv"
"$warpwatt" validate cycles --memory --reference "$work/copy.csv" > "$work/copy.txt" || fail "the L2 of a GTX TITAN X is slow: $(cat "$work/copy.txt")"
sed 's/registers="6"/registers="200"/' "$cycles/_null.xml" > "$work/_null.xml"
"$warpwatt" run --gpu gtx480-gpgpusim --isa ptx --ptx "$cycles/_null.ptx" --launch "$work/_null.xml" --out "$work/run" > /dev/null
cut -d, -f6,8,9 "$work/run/kernels.csv" | grep -q '^200,5,registers$' || fail "registers of a launch do not count"
