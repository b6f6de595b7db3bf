#!/bin/sh
# Does a command leave alone what it reads, run only what it was told to, and keep names from acting on a terminal or a spreadsheet?
# outputs.sh WARPWATT SOURCE
set -u
. "$(dirname "$0")/../support/cli.sh"
sums() { find . -type f ! -name out -exec cksum {} + | sort; }
# untouched CODE PATTERN ARGUMENTS...: nothing in the folder changes.
untouched() {
    before=$(sums)
    expect "$@"
    shift 2
    [ "$before" = "$(sums)" ] || fail "warpwatt $*: files changed"
}

# ---- outputs over inputs ----
"$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out res || fail 'run'
ln -s res linked
{
    echo 'activity,kernel,component,measured,sigma,source'
    for rate in fp32_fma integer fp32_add fp32_mul; do
        echo "rates,$rate=1,RF,2.50 pJ/sm.rf.read.lanes + 2.14 pJ/sm.rf.write.lanes,0.3,test"
    done
} >measured.csv
ln -s measured.csv alias.csv
for out in res/activity.xml linked/activity.xml res/run.json ./res/../res/power.csv; do
    untouched 2 'is a file of the result' report res --out $out
done
untouched 2 'is a file of the result' report linked --out res/kernels.csv
for out in measured.csv alias.csv ./measured.csv; do
    untouched 2 'one file' calibrate measured.csv --gpu qv100 --uncertainty $out
done
untouched 2 'one file' calibrate alias.csv --gpu qv100 --uncertainty measured.csv
untouched 2 'would replace what the command reads' power --activity res/activity.xml --quiet --out res --force
untouched 2 'would replace what the command reads' power --activity linked/activity.xml --quiet --out res --force
untouched 2 'would replace what the command reads' power --activity res/activity.xml --quiet --out linked --force
mkdir tables
mkdir tables/page-files
cp res/kernels.csv tables/page-files/metrics.csv
cp res/kernels.csv tables/m.html
untouched 2 'one file' report --metrics tables/m.html --power res/power.csv --out tables/m.html
# What would not open as what it is called.
for out in page.pdf page.svg ./a.b/page.csv; do
    untouched 2 'print it' report res --out "$out"
done
# A dump does not take the place of a file that is no result's, its own input among them.
mkdir dumps
cp "$source/docs/examples/saxpy.ptx" dumps/y.csv
sed 's/file="[^"]*"/file="y.csv"/' "$source/docs/examples/saxpy.xml" >saxpy.xml
grep -q 'file="y.csv"' saxpy.xml || fail 'the example dumps nothing'
untouched 1 'is no file of the result' run --gpu gtx480 --ptx dumps/y.csv --launch saxpy.xml --quiet --out dumps
"$warpwatt" report res --out res/page.html --quiet || fail 'a page into the folder of its result'
"$warpwatt" report res --out res/page.html --quiet || fail 'a page again'
"$warpwatt" calibrate measured.csv --gpu qv100 --uncertainty sigma.csv --quiet || fail 'calibrate'
"$warpwatt" calibrate measured.csv --gpu qv100 --uncertainty sigma.csv --quiet || fail 'calibrate again'

# ---- programs that tables name ----
{ echo 'activity,kernel,component,measured,sigma,source'; echo "-- /bin/touch $work/ran,k,TOTAL,100 W,0.1,test"; } >program.csv
untouched 2 'allow-programs' calibrate program.csv --gpu qv100
"$warpwatt" calibrate program.csv --gpu qv100 --allow-programs >/dev/null 2>&1
[ -e ran ] || fail 'calibrate --allow-programs did not run the program'
rm -f ran
mkdir bin
printf '#!/bin/sh\ntouch %s/ran\n' "$work" >bin/prog
chmod +x bin/prog
head -1 "$source/tests/validation/cycles/hardware.csv" >hardware.csv
sed -n 2p "$source/tests/validation/cycles/hardware.csv" |
    awk -F, -v OFS=, 'NR == FNR { for (i = 1; i <= NF; i++) at[$i] = i; next } { $at["file"] = "prog"; $at["arguments"] = ""; print }' hardware.csv - >>hardware.csv
untouched 2 'allow-programs' validate cycles --hardware --reference hardware.csv --programs bin
[ -e ran ] && fail 'validate ran a program that a table names'
"$warpwatt" validate cycles --hardware --reference hardware.csv --programs bin --allow-programs >/dev/null 2>&1
[ -e ran ] || fail 'validate --allow-programs did not run the program'

# ---- a sealed result that lacks a file ----
for file in power.csv activity.xml counters.csv; do
    rm -rf copy
    cp -r res copy
    rm copy/$file
    untouched 1 "$file.*missing" analyze metrics copy
    untouched 1 "$file.*missing" report copy --out copy.html
done

# ---- names of a sweep's own ----
sed 's/^    //' >sweep.xml <<'XML'
    <sweep name="own"><configuration name="sweep.xml" gpu="gtx480"/><workload name="vectoradd" size="small"/></sweep>
XML
for name in sweep.xml logs slurm.sh; do
    sed "s/name=\"sweep.xml\"/name=\"$name\"/" sweep.xml >named.xml
    untouched 1 "named.xml:1.*needs another name" sweep named.xml --out "swept"
done

# ---- names that would act ----
esc=$(printf '\033')
"$warpwatt" run --gpu gtx480 --workload "${esc}[2Jx" >out 2>&1
"$warpwatt" "${esc}[31mrun" >>out 2>&1
"$warpwatt" report res --out "${esc}]0;title.html" >>out 2>&1
"$warpwatt" analyze metrics "no${esc}[2J" >>out 2>&1
rm -rf copy
cp -r res copy
rm copy/files.csv
sed "s/vectorAdd/v${esc}[2Jadd/; s/vectoradd/${esc}[1mname/" res/kernels.csv >copy/kernels.csv
sed "s/vectorAdd/v${esc}[2Jadd/; s/vectoradd/${esc}[1mname/" res/power.csv >copy/power.csv
cmp -s res/kernels.csv copy/kernels.csv && fail 'the names were not replaced'
"$warpwatt" analyze breakdown copy >>out 2>&1
"$warpwatt" analyze metrics copy >>out 2>&1
"$warpwatt" report copy --out names.html >>out 2>&1
grep -q "$esc" out && { fail 'an escape sequence reached the terminal'; grep "$esc" out | head -3 | cat -v; }
grep -lq "$esc" names*.html names-files/*.svg && fail 'an escape sequence reached the page'

# ---- formulas ----
cat >formula.csv <<'CSV'
kernel,IPC,CI
=1+1,1.5,-2
"@x, y",2.5,3
+plain,-1,4
plain,3.5,5
CSV
cat >power.csv <<'CSV'
kernel,RF [W],total [W]
=1+1,1.5,2
"@x, y",2.5,3
+plain,1,4
plain,3.5,5
CSV
"$warpwatt" report --metrics formula.csv --power power.csv --out plain.html --quiet || fail 'report of tables'
"$warpwatt" report --metrics formula.csv --power power.csv --out safe.html --quiet --spreadsheet || fail 'report --spreadsheet'
grep -hq '^=1+1,' plain-files/*.csv || fail 'data did not stay data'
grep -hqE '(^|,)"?[=@]' safe-files/*.csv && { fail 'a formula in a CSV file of --spreadsheet'; grep -hE '(^|,)"?[=@]' safe-files/*.csv | head -2; }
grep -hq "'=1+1," safe-files/*.csv || fail 'a text was lost'
finish
