#!/bin/sh
# A study from its definition to its verdicts: classes, choices that other runs wait for, budgets, parameters of one workload,
# every kind of mean; what is missed or missing is an error; results of another definition are not taken.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
study=$2/tests/validation/paper
misses 'missing: base/hotspot-std' "$warpwatt" validate paper "$study" --results "$work/none"

"$warpwatt" sweep "$study/sweep.xml" --out "$work/all" 2>"$work/err" >"$work/out"
grep -q "left out: configuration 'absent': .*there is no mechanism 'nothing'" "$work/err" || fail "what is left out is not named"
misses 'T16 .*missing: absent/hotspot-std' "$warpwatt" validate paper "$study" --results "$work/all"
mkdir "$work/here"
sed 's|</sweep>|<figure name="ceilings" title="Bounds" of="nlp uv own base fast" value="speedup" axis="IPC"/></sweep>|' "$study/sweep.xml" >"$work/here/sweep.xml"
grep -v '^T16' "$study/bands.csv" >"$work/here/bands.csv"
study=$work/here
[ "$(find "$work/all" -name sweep-run.txt | wc -l)" -eq 14 ] || fail "expected 14 runs"
"$warpwatt" validate paper "$study" --results "$work/all" --rows >"$work/out" 2>"$work/err" || fail "a band of the tiny study is missed"
grep -q '^13 bands met, 0 missed, 0 without results; 2 numbers without a band$' "$work/out" || fail "wrong sums"
grep -q '^T2 .* 18 %' "$work/out" && fail "rows are mixed up"
[ "$(grep -c '^T1  *[HBV]' "$work/out")" -eq 3 ] || fail "T1 is not of three workloads"
# What bounds each program: the paper's number of it, ours, machines without a mechanism; the best of those binds.
grep -q '^workload  *printed  *nlp  *uv  *own  *base  *fast  *binds$' "$work/out" || fail "no table of ceilings"
grep -Eq '^HS  *([^ ]+  *)?[0-9.]+  *[0-9.]+  *1.000  *[0-9.]+  *(fast|none of them)$' "$work/out" || fail "no ceilings of a program"
grep -Eq '^VA .* 1.000  *not run$' "$work/out" || fail "a mechanism, the base or a machine that has not run binds"
"$warpwatt" validate paper "$study" --results "$work/all" --json >"$work/out" || fail "json"
grep -q '"met": 13' "$work/out" || fail "json has other sums"
"$warpwatt" validate paper "$study" --results "$work/all" --markdown >"$work/out" || fail "markdown"
grep -q '^| 1 | T1 |' "$work/out" || fail "no table in Markdown"
grep -q '^| workload | printed | nlp |' "$work/out" || fail "no ceilings in Markdown"

# What was asked of each run, kept as a table, makes the same page without the runs; a number changed there, or missing, is seen.
asked() { "$warpwatt" validate paper "$study" --results "$1" --markdown; }
"$warpwatt" validate paper "$study" --results "$work/all" --numbers "$work/numbers.csv" --quiet || fail "numbers"
asked "$work/all" >"$work/page"
asked "$work/numbers.csv" >"$work/out" || fail "no page of numbers"
cmp -s "$work/page" "$work/out" || fail "numbers make another page: $(diff "$work/page" "$work/out")"
grep -q '^best,HS,ipc,[0-9]*,[0-9]*$' "$work/numbers.csv" || fail "no number of a choice: $(cat "$work/numbers.csv")"
sed 's/^nlp,HS,ipc,/&9/' "$work/numbers.csv" >"$work/other.csv"
failing asked "$work/other.csv"
sed '/^nlp,HS,ipc,/d' "$work/numbers.csv" >"$work/other.csv"
misses 'missing: nlp/hotspot-std' asked "$work/other.csv"
sed 's/^nlp,HS,ipc,.*/&\
&/' "$work/numbers.csv" >"$work/other.csv"
refuses 'has this number twice' asked "$work/other.csv"

# A run that waits for a choice took the best of its candidates.
rate() { awk -F, 'NR > 1 { i += $(NF - 1); c += $11 } END { print i / c }' "$work/all/$1/hotspot-std/kernels.csv"; }
for n in 1 8; do echo "$(rate "ctas,sm.max_ctas=$n") $n"; done | sort -g | tail -1 | cut -d' ' -f2 >"$work/best"
grep -A1 '"key": "sm.max_ctas"' "$work/all/nlp-best/hotspot-std/run.json" >"$work/out"
grep -q "\"value\": \"$(cat "$work/best")\"" "$work/out" || fail "the run that waited took another value"

# A band that cannot hold, an unknown name, a class of nothing.
mkdir "$work/study"
cp "$study/sweep.xml" "$work/study"
bands() { printf '%s\n' 'id,figure,what,over,mean,measure,unit,printed,low,high' "$1" >"$work/study/bands.csv"; }
bands 'X,1,too fast,all,geo,nlp:speedup,,,100,'
misses 'X .*at least 100  *MISSED' "$warpwatt" validate paper "$work/study" --results "$work/all"
grep -Eq '^X +none +no row says why$' "$work/out" || fail "a miss that nothing explains is not marked"
# Why a band is missed: a ceiling on the same side of it puts it out of reach, another does not; other rows stand beside.
named() {
    printf '%s\n' 'id,figure,what,over,mean,measure,unit,printed,low,high,ceiling,beside' "$1" 'LOW,b,low,all,geo,nlp:speedup,,7,,,,' 'HIGH,b,high,all,geo,1000,,,,,,' >"$work/study/bands.csv"
    "$warpwatt" validate paper "$work/study" --results "$work/all" >"$work/out" 2>"$work/err"
}
if named 'X,1,fast,all,geo,nlp:speedup,,,100,,LOW HIGH,LOW'; then fail "a band that is missed is taken"; fi
grep -Eq '^X +LOW +low +7 +[0-9.]+ +out of reach$' "$work/out" || fail "a ceiling below the band does not put it out of reach"
grep -Eq '^X +HIGH +high +1000.0 +in reach$' "$work/out" || fail "a ceiling above the band puts it out of reach"
grep -Eq '^X +LOW +low +7 +[0-9.]+ +beside$' "$work/out" || fail "what stands beside is not shown"
if named 'X,1,slow,all,geo,nlp:speedup,,,,0.01,LOW,'; then fail "a band that is missed is taken"; fi
grep -Eq '^X +LOW .* out of reach$' "$work/out" || fail "a ceiling above a band that is missed from above does not put it out of reach"
named 'X,1,slow,all,geo,nlp:speedup,,,,100,LOW,' || fail "a band that is met is missed"
if grep -q '^missed' "$work/out"; then fail "a band that is met is explained"; fi
if named 'X,1,slow,all,geo,nlp:speedup,,,,1,LAW,'; then fail "a row that is not there is taken"; fi
grep -q "there is no row 'LAW'" "$work/err" || fail "a row that is not there is not named"
if named 'X,1,slow,all,geo,nlp:speedup,,,,,LOW,'; then fail "a number without a band has a ceiling"; fi
grep -q 'X has no band to miss' "$work/err" || fail "a number without a band that has a ceiling is not named"
# How it stands: by the ceiling first, then by a number of machines without a mechanism that is not the paper's, less than half or
# more than twice it, or beyond its own band.
stands() { # HOW BY CEILINGS ROWS
    printf '%s\n' 'id,figure,what,over,mean,measure,unit,printed,low,high,ceiling,beside' "X,1,fast,all,geo,nlp:speedup,,,100,,$3,$4" 'LOW,b,low,all,geo,nlp:speedup,,,,,,' \
        'HIGH,b,high,all,geo,1000,,,,,,' 'NIL,b,nil,all,geo,0.001,,,,,,' \
        'FAR,b,one,all,geo,base:ipc / base:ipc,,3,,,,' 'LESS,b,one,all,geo,base:ipc / base:ipc,,0.4,,,,' 'NEAR,b,one,all,geo,base:ipc / base:ipc,,1.9,,,,' \
        'OWN,b,one,VA,geo,own:ipc / own:ipc,,3,,,,' 'WORDS,b,one,all,geo,base:ipc / base:ipc,,3 or more,,,,' 'WITH,b,one,all,geo,nlp:ipc / nlp:ipc,,3,,,,' 'BAND,b,one,all,geo,base:ipc / base:ipc,,1.1,1.05,,,NEAR' >"$work/study/bands.csv"
    failing "$warpwatt" validate paper "$work/study" --results "$work/all"
    grep -Eq "^X +fast +[0-9.]+ +at least 100 +$1 *$2\$" "$work/out" || fail "a band with ceilings '$3' and rows '$4' does not stand as $1 by '$2'"
    grep -Eq "^2 missed: (1|2) .*$1" "$work/out" || fail "the sums do not say '$1'"
}
stands 'out of reach' LOW 'HIGH LOW' FAR
stands 'baseline differs' FAR HIGH 'WORDS WITH FAR'
stands 'baseline differs' LESS HIGH LESS
stands 'baseline differs' BAND '' BAND
stands 'in reach' HIGH HIGH 'NEAR WORDS WITH'
stands 'no bound' NIL NIL NEAR
stands beside NEAR '' 'NEAR WORDS'
stands beside WITH '' 'WITH WORDS'
stands beside OWN '' 'OWN WORDS'
stands 'no row says why' '' '' ''
for wrong in 'X,1,w,all,geo,nlp:ipcc,,,1,2|no number .ipcc.; did you mean .ipc.' 'X,1,w,HX,geo,nlp:ipc,,,1,2|no workload belongs to .HX.' \
    'X,1,w,all,median,nlp:ipc,,,1,2|the mean is' 'X,1,w,all,geo,nlp:ipc,,,2,1|band of X is empty' 'X,1,w,all,geo,nlq:ipc,,,1,2|configuration .nlq.' \
    'X,1,w,all,geo,nlp:ipc /,,,1,2|expected a number or a name' 'X,1,w,all,geo,speedup(nlp),,,1,2|no such function'; do
    bands "${wrong%|*}"
    refuses "${wrong#*|}" "$warpwatt" validate paper "$work/study" --results "$work/all"
done
bands 'X,1,w,all,geo,nlp:speedup,,,0,2'
sed 's/value="nlp"/value="uv"/' "$study/sweep.xml" >"$work/study/sweep.xml"
refuses 'another configuration' "$warpwatt" validate paper "$work/study" --results "$work/all"

# Figures: those that every sweep has, and those that a definition names.
"$warpwatt" report "$work/all" --out "$work/page.html" --quiet
for name in ipc energy stalls; do
    [ -s "$work/page-files/$name.svg" ] && [ -s "$work/page-files/$name.csv" ] || fail "no figure $name"
done
awk -F, '$1 == "mean" && $2 == "base" && $3 != 1 { exit 1 }' "$work/page-files/ipc.csv" || fail "the base is not 1"
awk -F, 'NR > 1 && !/"/ && $3 != "" { s = 0; for (i = 3; i <= NF; i++) s += $i; if (s < 0.999 || s > 1.001) exit 1 }' "$work/page-files/stalls.csv" || fail "issue slots do not add up"
sed 's|</sweep>|<figure name="mine" title="Mine" of="nlp uv absent" value="speedup" means="stencils all" axis="IPC"/><figure name="lone" title="Lone" of="nlp uv" over="HS" value="speedup" means="all" axis="IPC"/></sweep>|' "$2/tests/validation/paper/sweep.xml" >"$work/study/sweep.xml"
bands 'T2,1,speed,all,geo,nlp:speedup,,,0,2'
"$warpwatt" report "$work/all" --study "$work/study" --out "$work/mine.html" --quiet
[ "$(grep -c '' "$work/mine-files/mine.csv")" -eq 11 ] || fail "expected five groups of two bars"
# The mean of one program would be that program again.
[ "$(cut -d, -f1 "$work/mine-files/lone.csv" | sort -u | xargs)" = 'HS workload' ] || fail "a mean of one: $(cat "$work/mine-files/lone.csv")"
grep -q 'speed' "$work/mine-files/numbers.csv" || fail "no numbers"
