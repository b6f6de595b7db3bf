#!/bin/sh
# The example of docs/launch-file.md works as the page says, and a faulty access is reported as promised.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
source=$2
cd "$source"
"$warpwatt" check docs/examples/saxpy.ptx
"$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch docs/examples/saxpy.xml --out "$work/result" --quiet
[ "$(wc -l <"$work/result/y.csv")" -eq 17 ]
# y[i] = 2*(0.5*i) + random in [-1, 1]: between i - 1 and i + 1.
awk -F, 'NR > 1 && ($2 < $1 - 1 || $2 > $1 + 1) { print "wrong value:", $0; bad = 1 } END { exit bad }' "$work/result/y.csv"
sed 's/value="100000"/value="100096"/' docs/examples/saxpy.xml >"$work/far.xml"
refuses 'saxpy.ptx:[0-9]' "$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch "$work/far.xml" --quiet
grep -q 'kernel saxpy\|saxpy(' "$work/err" && grep -qi 'cta' "$work/err" && grep -qi 'thread' "$work/err" || {
    cat "$work/err"
    exit 1
}

# --memcheck: silent about a sound kernel; a race is named, the results are still there, and the exit code is 1.
"$warpwatt" run --gpu gtx580 --ptx docs/examples/saxpy.ptx --launch docs/examples/saxpy.xml --memcheck --quiet
cat >"$work/race.ptx" <<'PTX'
.version 7.8
.target sm_75
.address_size 64
.visible .entry race(.param .u64 out)
{
    .shared .align 4 .b8 s[256];
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, s;
    add.u32 %r3, %r3, %r2;
    .loc 1 7 0
    st.shared.u32 [%r3], %r1;
    xor.b32 %r4, %r3, 128;
    .loc 1 8 0
    ld.shared.u32 %r5, [%r4];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
.file 1 "race.cu"
PTX
printf '<launches><buffer name="o" type="u32" count="64"/><launch kernel="race"><grid x="1"/><block x="64"/><arg buffer="o"/></launch></launches>\n' >"$work/race.xml"
for timing in "" --no-timing; do
    code=0
    "$warpwatt" run --gpu gtx580 $timing --ptx "$work/race.ptx" --launch "$work/race.xml" --memcheck --out "$work/race" --force --quiet 2>"$work/err" || code=$?
    [ "$code" -eq 1 ] && [ -f "$work/race/kernels.csv" ] && grep -q '^memcheck: race.cu:8 (.*race.ptx:[0-9]*): kernel race: RAW hazard' "$work/err" || {
        echo "memcheck $timing: exit code $code"
        cat "$work/err"
        exit 1
    }
    rm -r "$work/race"
done
