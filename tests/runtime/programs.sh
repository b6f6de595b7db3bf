#!/bin/sh
# Do programs that talk to the CUDA runtime as nvcc's do run unmodified, and is what goes wrong reported as promised?
# Usage: programs.sh WARPWATT HOST_PROGRAM STATIC_PROGRAM WIDE_PROGRAM
warpwatt=$1
program=$2
static=$3
wide=$4
. "$(dirname "$0")/../support/scratch.sh"
run() {
    "$warpwatt" run --gpu gtx580 "$@" >"$work/stdout" 2>"$work/stderr"
}

for mode in stored lz4 zstd; do
    run --out "$work/$mode" -- "$program" $mode || fail "$mode: the program failed"
    grep -q "$mode: PASSED" "$work/stdout" || fail "$mode: the program did not end well"
    grep '^warpwatt:' "$work/stderr" | grep -v 'kernel add: block 4096 x 1 x 1 exceeds' && fail "$mode: words without a reason"
    [ "$(wc -l <"$work/$mode/kernels.csv")" -eq 5 ] || fail "$mode: expected four launches"
done
grep -q 'RF' "$work/stdout" || fail "the breakdown is missing"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "stream") { at = i } } } NR > 1 { if ($at != (NR == 2)) { other = 1 } } END { exit other }' "$work/stored/kernels.csv" ||
    fail "the first launch is of stream 1, the others of the default one"
cmp "$work/stored/power.csv" "$work/zstd/power.csv" || fail "compression changed the energy"
"$warpwatt" power --activity "$work/zstd/activity.xml" --out "$work/again" --quiet
cmp "$work/zstd/power.csv" "$work/again/power.csv" || fail "the activity file gives other joules"

# Power over time: another view of the same run, and the same again from the activity file.
run --interval 100 --out "$work/trace" -- "$program" stored || fail "intervals: the program failed"
cmp "$work/stored/power.csv" "$work/trace/power.csv" || fail "intervals changed the energy"
[ "$(wc -l <"$work/trace/trace.csv")" -gt 9 ] || fail "intervals: expected several rows a launch"
"$warpwatt" power --activity "$work/trace/activity.xml" --out "$work/retraced" --quiet
cmp "$work/trace/trace.csv" "$work/retraced/trace.csv" || fail "the activity file gives another trace"

run --no-timing -- "$program" stored || fail "functional run"
run --no-timing -- "$program" longer || fail "a longer launch took no longer"

# As much device memory as the user says, and a word when it is not enough.
for size in 4096:4GiB 6144:6GiB 2:2MiB; do
    run --no-timing --memory "${size#*:}" -- "$program" hold-all || fail "memory: $size"
    grep -q "^${size%:*} MiB" "$work/stdout" || fail "memory: another size than $size"
    grep -q 'asked for 1 bytes of device memory with [0-9]* of [0-9]* in use.*--memory SIZE' "$work/stderr" || fail "memory: no word that it is short"
done
run --no-timing -- "$program" hold-all || fail "memory as usual"
grep -q "^4096 MiB" "$work/stdout" || fail "memory: not the usual 4 GiB"
for wrong in 64GiB 1kHz 0; do
    run --no-timing --memory $wrong -- "$program" hold-all && fail "memory: $wrong was taken"
    grep -q 'needs a size from 1 MiB to 44 GiB' "$work/stderr" || fail "memory: $wrong is not named"
done

# Copies leave in the L2 what the machine says they do: DRAM reads of the last launch; the same with intervals, and sampled.
reads() {
    awk -F'"' '/<launch/ { sum = 0 } $2 == "channel.dram.read" { sum += $4 } END { print sum + 0 }' "$1/activity.xml"
}
copied() {
    way=$1
    shift
    "$warpwatt" run --gpu qv100 --set mem.host_copies_fill_l2=true --quiet --out "$work/copied" --force "$@" -- "$program" "copy-$way" >"$work/stdout" 2>"$work/stderr" ||
        fail "copies: $way failed"
    reads "$work/copied"
}
cold=$(copied none)
[ "$cold" -ge 250 ] || fail "copies: $cold DRAM reads of data that nothing brought, expected 250 sectors"
for way in linear default rows device fill; do
    [ "$(copied $way)" -le $((cold - 250)) ] || fail "copies: $way left nothing in the L2"
    [ "$(copied $way --set mem.host_copies_fill_l2=false)" -ge "$cold" ] || fail "copies: $way filled the L2 against the description"
done
[ "$(copied linear --interval 100)" -le $((cold - 250)) ] || fail "copies: nothing in the L2 with intervals"
[ "$(copied linear --sample auto:5%)" -le $((cold - 250)) ] || fail "copies: nothing in the L2 with sampling"
[ "$(copied read)" -ge "$cold" ] || fail "copies: reading filled the L2"
[ "$(copied read --set mem.host_reads_fill_l2=true)" -le $((cold - 250)) ] || fail "copies: reading left nothing in the L2"

# Streams: a row a launch, or one of all that ran at the same time; the same results.
run --out "$work/streams" -- "$program" streams || fail "streams: the program failed"
[ "$(wc -l <"$work/streams/kernels.csv")" -eq 4 ] || fail "streams: expected three launches"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "stream") { at = i } } } NR > 1 && at && $at ~ /^[1-9]$/ { found = 1 } END { exit !found }' "$work/streams/kernels.csv" ||
    fail "streams: no launch names its stream"
run --concurrent --out "$work/together" -- "$program" streams || fail "concurrent streams: the program failed"
[ "$(wc -l <"$work/together/kernels.csv")" -eq 2 ] || fail "concurrent streams: expected one row"
grep -q 'fill x3' "$work/together/kernels.csv" || fail "concurrent streams: wrong kernel"
run --concurrent --no-timing -- "$program" streams || fail "concurrent streams without time"
run --concurrent -- "$program" wild-stream && fail "concurrent streams: a fault went unnoticed"
grep -q 'wild-stream: PASSED' "$work/stdout" || fail "concurrent streams: wrong codes"

# A profile travels too, of all processes; the lines sum to the launches.
run --profile --out "$work/lines" -- "$program" stored || fail "profile: the program failed"
cmp "$work/stored/power.csv" "$work/lines/power.csv" || fail "a profile changed the energy"
awk -F, 'FNR == 1 { for (c = 1; c <= NF; c++) if ($c ~ /^warp_instructions /) column = NR == 1 ? c : NF - c; next }
    NR == FNR { want += $column; next } { sub(/.*"/, ""); n = split($0, f, ","); got += f[n - column] }
    END { if (want == 0 || want != got) { print "warp instructions", want, "by line", got; exit 1 } }' \
    "$work/lines/kernels.csv" "$work/lines/lines.csv" || fail "profile: lines and launches differ"

# A script that starts two programs: launches of both. (A sanitizer's library does not come first in a shell's.)
if ! ldd "$program" | grep -q libasan; then
    printf '#!/bin/sh\n"%s" stored && "%s" lz4\n' "$program" "$program" >"$work/script"
    chmod +x "$work/script"
    run --out "$work/two" -- "$work/script" || fail "two programs"
    [ "$(wc -l <"$work/two/kernels.csv")" -eq 9 ] || fail "two programs: expected eight launches"
fi

run -- "$program" fault && fail "a fault went unnoticed"
grep -q 'fault: PASSED' "$work/stdout" || fail "fault: wrong codes"
grep -q 'fill' "$work/stderr" && grep -qi 'thread' "$work/stderr" || fail "fault: no located message"

grep -q 'the program finished no kernel' "$work/stderr" || fail "fault: its only kernel was launched"
run -- "$program" misaligned && fail "a misaligned access went unnoticed"
grep -q 'misaligned: PASSED' "$work/stdout" || fail "misaligned: wrong codes"
grep -q '1 bytes into the 128-byte allocation' "$work/stderr" || fail "misaligned: not the program's allocation"

run -- "$program" stray || fail "a stray access within a page stopped the program"
run --memcheck -- "$program" stray && fail "memcheck: a stray access went unnoticed"
grep -q '128-byte allocation' "$work/stderr" || fail "memcheck: no located message"

run --out "$work/missing" -- "$program" missing || fail "missing entry points are not fatal"
[ "$(grep -c 'warpwatt: cudaGraphDebugDotPrint' "$work/stderr")" -eq 1 ] || fail "missing: not named once"
grep -q '"cudaGraphDebugDotPrint"' "$work/missing/program.json" || fail "missing: not in the report"
run --out "$work/driver" -- "$program" driver || fail "names of the driver API"
grep -q '"cuTexRefGetAddress_v2"' "$work/driver/program.json" || fail "driver: not in the report"

# Units that are linked, textures, graphs, grid-wide barriers, device printf; in time and without.
for timing in "" --no-timing; do
    run $timing -- "$wide" || fail "wide $timing: the program failed"
    [ "$(grep -c '^cta [01] of 2$' "$work/stdout")" -eq 2 ] || fail "wide $timing: device printf"
    grep -q 'wide: PASSED' "$work/stdout" || fail "wide $timing: the program did not end well"
done
# A row of 32 texels is one line of an array of one row, and of one of four a piece of each of eight blocks.
texels() {
    awk -F'"' '/<launch/ { n++ } $2 ~ /^sm.l1t.read.(hit|miss)$/ { lines[n] += $4 } END { print lines[1] + 0, lines[2] + 0 }' "$1/activity.xml"
}
run --out "$work/rows" -- "$wide" rows || fail "rows of texels: the program failed"
[ "$(texels "$work/rows")" = "1 8" ] || fail "rows of texels: $(texels "$work/rows") lines, expected 1 and 8"
run --no-timing -- "$wide" assert || fail "an assertion of the program's own is not WarpWatt's error"
grep -q 'assertion `n > 0. failed' "$work/stderr" || fail "assert: not printed"

# However a program ends, its launches and notes are there: _exit, abort, a signal, another program in its place.
for end in _exit:7:2 abort:134:2 kill:137:2 exec:0:6; do
    how=${end%%:*}
    wanted=${end#*:}
    code=0
    run --out "$work/end" --force -- "$program" "end-$how" || code=$?
    [ "$code" -eq "${wanted%:*}" ] || fail "end by $how: exit code $code"
    [ "$(wc -l <"$work/end/kernels.csv")" -eq "${wanted#*:}" ] || fail "end by $how: wrong number of launches"
    grep -q '"cudaGraphDebugDotPrint"' "$work/end/program.json" || fail "end by $how: not in the report"
done

code=0
run -- "$program" exit || code=$?
[ "$code" -eq 42 ] || fail "exit code $code instead of 42"

run -- "$static" && fail "a static CUDA runtime was accepted"
grep -q 'cudart shared' "$work/stderr" || fail "static: no advice"
run -- "$work/no-such-program" && fail "a missing program was accepted"
code=0
"$warpwatt" run -- "$program" >/dev/null 2>&1 || code=$?
[ "$code" -eq 2 ] || fail "no --gpu is a usage error"
exit 0
