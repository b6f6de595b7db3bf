#!/bin/sh
# Are the shipped workloads clean under --memcheck, but for the reads that docs/guide.md owns up to?
# Usage: memcheck.sh WARPWATT
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
known='kernel (binomialOptionsKernel|mc_luma): uninitialized read by ld of [14] bytes in shared memory'
bad=0
for name in $("$warpwatt" list workloads | awk 'NR > 1 && NF { print $1 }'); do
    code=0 gpu=gtx480
    case $name in hopper-*) gpu=h100 ;; esac
    "$warpwatt" run --gpu $gpu --workload "$name:small" --no-timing --memcheck --quiet 2>"$work/err" || code=$?
    if grep '^memcheck: ' "$work/err" | grep -vE "$known" | grep . || { [ "$code" -ne 0 ] && ! grep -q '^memcheck: ' "$work/err"; }; then
        echo "$name: exit code $code"
        cat "$work/err"
        bad=1
    fi
done
# What lanes do together, with a mask that names lanes which cannot come: one that has left, those of a warp that is not full.
cat >"$work/lanes.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry lanes(.param .u64 out, .param .u32 mask)
{
  .reg .pred %p; .reg .u32 %t, %m, %v; .reg .u64 %out, %o;
  ld.param.u64 %out, [out]; ld.param.u32 %m, [mask];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %p, %t, 3;
  @%p ret;
  shfl.sync.bfly.b32 %v, %t, 1, 31, %m;
  mul.wide.u32 %o, %t, 4; add.u64 %o, %out, %o;
  st.global.u32 [%o], %v;
  ret;
}
PTX
# lanes THREADS MASK EXPECTED: findings.
lanes() {
    cat >"$work/lanes.xml" <<XML
<launches><buffer name="b" type="u32" count="64"/><launch kernel="lanes"><grid x="1"/><block x="$1"/>
<arg buffer="b"/><arg type="u32" value="$2"/></launch></launches>
XML
    "$warpwatt" run --gpu gtx480 --ptx "$work/lanes.ptx" --launch "$work/lanes.xml" --no-timing --memcheck --quiet 2>"$work/err" || true
    found=$(grep -c 'memcheck: .*its mask 0x[0-9a-f]* names lanes 0x[0-9a-f]*, which have exited or are not there' "$work/err") || true
    [ "$found" -eq "$3" ] || { echo "lanes: $found findings, expected $3, of $1 threads with the mask $2"; cat "$work/err"; bad=1; }
}
lanes 32 4294967295 1 # lane 3 has left
lanes 32 4294967287 0
lanes 16 4294967287 1 # half a warp
lanes 16 65527 0
exit $bad
