#!/bin/sh
# Does a trial of a folder of programs find each verdict, and go on where it was stopped?
# Usage: trial.sh PYTHON3 SCRIPT WARPWATT HOST_PROGRAM
script="$2"
warpwatt=$3
program=$4
python=$1
. "$(dirname "$0")/../support/scratch.sh"
built=$work/built
mkdir "$built"
ln -s "$program" "$built/host"
body() {
    printf '#!/bin/sh\n%s\n' "$2" >"$built/$1"
    chmod +x "$built/$1"
}
body says-wrong './host stored; echo "Test FAILED"'
body none-wrong './host stored >/dev/null; echo "failed: 0, 0 errors, results correct"'
body returns 'echo reason >&2; exit 3'
body quiet './host stored >/dev/null'
body waits "echo \$\$ >'$work/pid'; sleep 300"
body dies 'kill -SEGV $$'
body lacks './host missing; exit 1'
body other-library 'echo "warpwatt: cublasDotEx of libcublas.so.13 is not simulated; it returns an error" >&2; echo FAIL'
body counts "echo once >>'$work/count'; ./host stored"
cat >"$work/table" <<'T'
# name, file, arguments
right host zstd
says-wrong says-wrong
none-wrong none-wrong
returns returns 'two words'
quiet quiet
waits waits
dies dies
lacks lacks
other-library other-library
counts counts
absent absent
skipped - needs a second device
T
trial() {
    "$python" "$script" "$built" "$work/table" --out "$work/trial" --gpu gtx580 --limit "$1" --warpwatt "$warpwatt" -- --no-timing >"$work/stdout" 2>"$work/stderr"
}
trial 20 || fail "the trial failed: $(cat "$work/stderr")"
verdict() {
    grep -q "^| $1 | $2 | $3 |" "$work/trial/verdicts.md" || fail "$1: $(grep "^| $1 " "$work/trial/verdicts.md")"
}
verdict right passes ''
verdict says-wrong 'fails its own check' 'Test FAILED'
verdict none-wrong passes ''
verdict returns 'fails its own check' 'exit code 3: .*'
verdict quiet ends '.*'
verdict waits 'too long' 'more than 20.0 s'
verdict dies crashed 'Segmentation fault'
verdict lacks refused '.*cudaGraphDebugDotPrint.*'
verdict other-library refused cublasDotEx
verdict absent 'not run' 'absent is not there'
verdict skipped 'not run' 'needs a second device'
grep -q '^3 passes, 1 ends, 2 fails its own check, 2 refused, 1 too long, 1 crashed, 2 not run$' "$work/stdout" || fail "counts: $(tail -n 1 "$work/stdout")"
kill -0 "$(cat "$work/pid")" 2>/dev/null && fail "what took too long still runs"

# Again: only what has no verdict yet.
rm "$work/trial/right/verdict.json"
trial 20
[ "$(wc -l <"$work/count")" -eq 1 ] || fail "a program with a verdict ran again"
[ "$(wc -l <"$work/stdout")" -eq 2 ] || fail "again: expected one program and the counts"
verdict right passes ''

# Tables without sense are refused with their line.
for line in 'two two' 'lonely' '../out host' "open 'quote"; do
    printf 'two host\n%s\n' "$line" >"$work/table"
    trial 20 && fail "table: '$line' was taken"
    grep -q 'table:2: ' "$work/stderr" || fail "table: '$line' is not located"
done
