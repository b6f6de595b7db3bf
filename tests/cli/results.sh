#!/bin/sh
# Does a result folder hold one run, whole, or none: refused or replaced, never mixed; checked when it is read; kept when the
# run is interrupted?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
run() {
    "$warpwatt" run --gpu gtx480 --quiet "$@"
}
id() {
    sed -n 's/.*"run_id": "\(.*\)",/\1/p' "$1/run.json"
}

# Refused without --force, and left as it was; with it, no file of the old run stays.
run --workload vectoradd:small --interval 200 --profile --out "$work/used"
cp -r "$work/used" "$work/before"
refuses '--force' "$warpwatt" run --gpu gtx480 --workload scan:small --quiet --out "$work/used"
refuses '--force' "$warpwatt" power --activity "$work/before/activity.xml" --quiet --out "$work/used"
diff -r "$work/before" "$work/used" || fail 'a refused run changed the folder'
touch "$work/used/notes.md"
run --workload scan:small --out "$work/used" --force
run --workload scan:small --out "$work/fresh"
[ -e "$work/used/notes.md" ] || fail "a file that is no result's was removed"
rm "$work/used/notes.md"
diff -r "$work/fresh" "$work/used" || fail 'the result was not replaced whole'
run --workload vectoradd:small --out "$work/used" --force
diff "$work/before/kernels.csv" "$work/used/kernels.csv" || fail 'not replaced'
(cd "$work/used" && run --workload scan:small --out . --force)
diff -r "$work/fresh" "$work/used" || fail 'the working directory was not replaced'
mkdir "$work/mine"
touch "$work/mine/notes.md"
run --workload scan:small --out "$work/mine/"
[ -e "$work/mine/notes.md" ] && cmp -s "$work/mine/power.csv" "$work/fresh/power.csv" || fail 'a folder with other files'
# A run that fails leaves nothing, and what was there.
refuses 'cycles' "$warpwatt" run --gpu gtx480 --workload vectoradd:small --max-cycles 10 --out "$work/used" --force
diff -r "$work/fresh" "$work/used" || fail 'a failed run changed the folder'
[ -z "$(find "$work" -name '*.writing-*')" ] || fail 'a folder was left behind'

# A limit of file sizes, like a full disk, is an error with a message, and changes nothing.
refuses 'File too large\|cannot write' sh -c "ulimit -f 8; '$warpwatt' run --gpu gtx480 --workload vectoradd:small --quiet --out '$work/used' --force"
diff -r "$work/fresh" "$work/used" || fail 'a run without room changed the folder'

# Dumps stay in the folder.
for name in "$work/outside.csv" ../outside.csv sub/outside.csv kernels.csv .hidden; do
    sed "s|file=\"y.csv\"|file=\"$name\"|" "$source/docs/examples/saxpy.xml" >"$work/dump.xml"
    refuses 'dump.xml:[0-9]*.*result folder' "$warpwatt" run --gpu gtx480 --quiet --ptx "$source/docs/examples/saxpy.ptx" --launch "$work/dump.xml" --out "$work/dumped"
    [ ! -e "$work/outside.csv" ] || fail "a dump left the folder"
done

# Another run's files, changed ones and cut ones are refused by all readers.
spoil() {
    rm -rf "$work/bad"
    cp -r "$work/fresh" "$work/bad"
}
readers() {
    refuses "$1" "$warpwatt" analyze breakdown "$work/bad"
    refuses "$1" "$warpwatt" analyze metrics "$work/bad"
    refuses "$1" "$warpwatt" analyze correlate "$work/bad"
    refuses "$1" "$warpwatt" report "$work/bad" --out "$work/page.html"
}
spoil
cp "$work/before/power.csv" "$work/bad"
readers "power.csv.*another run's"
spoil
cp "$work/before/trace.csv" "$work/bad"
readers 'trace.csv.*belongs to another run'
spoil
sed -i '2s/SCAN\|scan/other/' "$work/bad/kernels.csv"
readers 'kernels.csv'
for cut in power.csv kernels.csv files.csv; do
    spoil
    head -n 3 "$work/fresh/$cut" >"$work/bad/$cut"
    readers "$cut\|result is not whole"
    spoil
    head -c -20 "$work/fresh/$cut" >"$work/bad/$cut"
    readers "$cut"
done
# Of a result without a list: tables that end with a line, and as many rows as there are launches.
spoil
rm "$work/bad/files.csv"
"$warpwatt" analyze breakdown "$work/bad" >/dev/null
head -n -1 "$work/fresh/power.csv" >"$work/bad/power.csv"
sed -n 2p "$work/fresh/kernels.csv" >>"$work/bad/kernels.csv"
readers 'power.csv.*launches of kernels.csv'
cp "$work/fresh/kernels.csv" "$work/bad"
head -c -20 "$work/fresh/power.csv" >"$work/bad/power.csv"
readers 'power.csv.*cut off'

# The run's name: the same for the same run, wherever it goes and whoever counts; another for another.
run --workload scan:small --threads 3 --out "$work/threads"
[ "$(id "$work/threads")" = "$(id "$work/fresh")" ] && [ -n "$(id "$work/fresh")" ] || fail 'the same run has two names'
run --workload scan:small --set sm.max_ctas=2 --out "$work/set"
run --workload scan:small --isa ptx --out "$work/isa"
run --workload scan:small --interval 500 --out "$work/interval"
cp "$source/docs/examples/saxpy.ptx" "$source/docs/examples/saxpy.xml" "$work"
run --ptx "$work/saxpy.ptx" --launch "$work/saxpy.xml" --out "$work/ptx"
sed -i 's/<dump.*//' "$work/saxpy.xml"
run --ptx "$work/saxpy.ptx" --launch "$work/saxpy.xml" --out "$work/launch"
names=$(for dir in fresh set isa interval ptx launch before; do id "$work/$dir"; done | sort -u | wc -l)
[ "$names" -eq 7 ] || fail "$names names of 7 runs"

# An interrupt keeps the workloads that had finished, and says so.
run_interrupted() {
    "$warpwatt" run --gpu gtx480 --workload "$1" --out "$work/$2" >"$work/stdout" 2>"$work/err" &
    child=$!
    for _ in $(seq 600); do
        grep -q "$3" "$work/err" && break
        sleep 0.1
    done
    kill -INT $child
    code=0
    wait $child || code=$?
    [ $code -eq 130 ] || fail "interrupted: exit code $code instead of 130"
}
run_interrupted vectoradd:small,scan:small,lavamd:default,vectoradd:default part 'scan .*match'
grep -q 'interrupted: 2 of 4 workloads' "$work/err" || fail 'does not say what was kept'
grep -q '2 of 4' "$work/part/incomplete.txt" || fail 'not marked'
[ "$(cut -d, -f1 "$work/part/kernels.csv" | sort -u | grep -c -v workload)" -eq 2 ] || fail 'not the two that had finished'
"$warpwatt" analyze breakdown "$work/part" >"$work/stdout" 2>"$work/err"
grep -q 'incomplete' "$work/err" || fail 'an incomplete result is read without a word'
