#!/bin/sh
# Does a launch that never ends say where every warp stands and why, however many there are?
set -u
warpwatt=$1
ptx=$2/tests/cli/stuck.ptx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# stuck KERNEL GRID BLOCK OPTIONS...: runs it, which must fail; the report is in $work/err.
stuck() {
    printf '<launches><buffer name="data" type="u32" count="64"/><launch kernel="%s"><grid x="%s"/><block x="%s"/><arg buffer="data"/></launch></launches>\n' \
        "$1" "$2" "$3" >"$work/launch.xml"
    kernel=$1
    shift 3
    "$warpwatt" run --gpu gtx480 --ptx "$ptx" --launch "$work/launch.xml" --quiet "$@" 2>"$work/err"
    code=$?
    if [ $code -ne 1 ]; then
        echo "$kernel: exit $code instead of 1"
        failures=$((failures + 1))
    fi
    if [ "$(wc -c <"$work/err")" -gt 3584 ]; then
        echo "$kernel: a report of $(wc -c <"$work/err") bytes"
        failures=$((failures + 1))
    fi
}

says() {
    if ! grep -qE -- "$1" "$work/err"; then
        echo "looked for '$1' in:"
        sed 's/^/    /' "$work/err"
        failures=$((failures + 1))
    fi
}

# The line of the only such instruction of stuck.ptx.
line_of() {
    grep -n -- "$1" "$ptx" | head -1 | cut -d: -f1
}

# The warps named and counted in the report's groups are the live ones of its first line.
counts() {
    awk '/.live warps / { for (i = 1; i < NF; i++) if ($i == "(live") live = $(i + 2) + 0 }
        $2 ~ /^warps?:$/ { sum += $1 }
        $1 == "and" && /wait elsewhere/ { sum += $2 }
        END { if (live != want || sum != live) { print "live", live, "told", sum, "expected", want; exit 1 } }' \
        want="$1" "$work/err" || { sed 's/^/    /' "$work/err"; failures=$((failures + 1)); }
}

for isa in lowered ptx; do
    stuck barriers 1 96 --isa $isa
    says "stuck.ptx: error: kernel barriers: nothing can happen any more at cycle [0-9]+ "
    says "^  line $(line_of 'bar.sync 0'), .*bar.sync.*: barrier 0, 2 of 3 warps there$"
    says "^    2 warps: CTA 0,0,0 on SM [0-9]+: 0-1$"
    says "^  line $(line_of 'bar.sync 1'), .*bar.sync.*: barrier 1, 1 of 3 warps there$"
    says "^    1 warp: CTA 0,0,0 on SM [0-9]+: 2"
    counts 3

    stuck missing 1 96 --isa $isa
    says "^  line $(line_of 'bar.sync 2'), .*bar.sync.*: barrier 2, 1 of 2 warps there, 2 of the CTA's 3 have exited$"
    counts 1
done

# 1000 CTAs of 8 warps: 15 SMs hold 6 each, the others have not started. Whatever the moment, warps
# that wait for the flag say for which instruction's result.
stuck spin 1000 256 --max-cycles 30000
says "kernel spin: takes longer than the cycles allowed at cycle 30000 .live warps 720, live CTAs 90, CTAs not started 910, memory system: [0-9]+ requests in flight"
says "the memory result of line $(line_of 'ld.volatile'), ld"
says "; more CTAs: [0-9]+"
counts 720

# A warp that waits for itself: the lane that has the lock stands behind the loop.
for isa in lowered ptx; do
    stuck lock 1 32 --max-cycles 30000 --isa $isa
    says "some lanes; others wait at line $(line_of 'atom.global.exch') for them"
    counts 1
done

# Without time: the same places and counts, in the words of the timed report.
stuck barriers 1 96 --no-timing
says "stuck.ptx: error: kernel barriers: nothing can happen any more in CTA .0,0,0. .live warps 3 of 3.. What the warps wait for:"
says "^  line $(line_of 'bar.sync 0'), bar.sync: barrier 0, 2 of 3 warps there$"
says "^    2 warps: CTA 0,0,0: 0-1$"
says "^  line $(line_of 'bar.sync 1'), bar.sync: barrier 1, 1 of 3 warps there$"
stuck missing 1 96 --no-timing
says "^  line $(line_of 'bar.sync 2'), bar.sync: barrier 2, 1 of 2 warps there, 2 of the CTA's 3 have exited$"
exit $failures
