#!/bin/sh
# Does --timeline change nothing but add timeline.csv, with the warps of one CTA by role and the engines at work for it, and does
# the report draw it? Two CTAs of five warps: one copies a tile, four wait for it.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
cd "$source"

cat >"$work/k.ptx" <<'PTX'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile(.param .u64 in, .param .u64 out)
{
    .shared .align 128 .b8 s[4096];
    .shared .align 8 .b64 bar;
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %q<8>;
    ld.param.u64 %q0, [in]; ld.param.u64 %q1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, s;
    setp.eq.u32 %p0, %r0, 128; setp.gt.u32 %p1, %r0, 127;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    fence.proxy.async;
    bar.sync 0;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4096;
    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%q0], 4096, [bar];
    @%p1 bra END;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
    @!%p2 bra WAIT;
    mul.wide.u32 %q2, %r0, 4; add.u64 %q3, %q1, %q2; ld.shared.u32 %r2, [%r1]; st.global.u32 [%q3], %r2;
END:
    ret;
}
PTX
cat >"$work/k.xml" <<'XML'
<launches>
  <buffer name="in" type="u32" count="1024"/>
  <buffer name="out" type="u32" count="128"/>
  <launch kernel="tile"><grid x="2"/><block x="160"/><arg buffer="in"/><arg buffer="out"/></launch>
</launches>
XML
run() {
    "$warpwatt" run --gpu h200 --ptx "$work/k.ptx" --launch "$work/k.xml" --quiet --force "$@"
}
run --out "$work/plain"
run --timeline 1 --out "$work/one"
run --timeline 1 --threads 2 --out "$work/two"
run --timeline 7 --out "$work/none"
cmp "$work/plain/activity.xml" "$work/one/activity.xml" || fail "a timeline changes the counters"
cmp "$work/one/timeline.csv" "$work/two/timeline.csv" || fail "threads change the timeline"
[ ! -f "$work/plain/timeline.csv" ] || fail "a timeline that nobody asked for"
[ "$(wc -l <"$work/none/timeline.csv")" -le 1 ] || fail "a CTA that there is not"

# Whoever waits for the copy does so until it is there, and nobody outlives the launch.
awk -F, '
    NR > 1 && $4 == "copy engine" { copies++; end = $8 }
    NR > 1 && $6 == "mbarrier" { waits[$4] = $8 }
    NR > 1 && $6 == "works" { lives[$4] = 1 }
    NR > 1 && $5 == "producer" && $4 == "warp 4" { producer = 1 }
    NR > 1 && $7 >= $8 { print "an empty span: " $0; exit 1 }
    END {
        for (w in waits) { n++; if (waits[w] < end || waits[w] > end + 60) { print w, waits[w], end; exit 1 } }
        for (w in lives) { all++ }
        if (copies != 1 || n != 4 || all != 5 || !producer) { print copies, n, all, producer; exit 1 }
    }' "$work/one/timeline.csv" || fail "the timeline is not what the kernel does"
"$warpwatt" report "$work/one" --out "$work/page.html" --quiet
grep -q 'A CTA over time' "$work/page.html" && grep -q 'producer warp 4, copies' "$work/page.html" || fail "the report lacks the timeline"
if run --timeline 1 2>"$work/err"; then
    fail "a timeline without a folder"
fi
grep -q -- '--out' "$work/err" || fail "the message does not help"
