#!/bin/sh
# Does a program that compiles kernels at run time find its own NVRTC behind ours, get PTX for machine code, and hear when there is none?
# Usage: nvrtc.sh WARPWATT PROGRAM PROGRAM_WITH_RUNPATH FOLDER_OF_FAKES LINKING_PROGRAM
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() {
    "$warpwatt" run --gpu gtx1080ti "$@" >"$work/stdout" 2>"$work/stderr"
}
unset LD_LIBRARY_PATH WARPWATT_NVRTC WARPWATT_NVJITLINK

LD_LIBRARY_PATH="/nonexistent:$4" run -- "$2" || fail "NVRTC in LD_LIBRARY_PATH: the program failed"
grep -q 'nvrtc: PASSED' "$work/stdout" || fail "LD_LIBRARY_PATH: the program did not end well"
run --no-timing -- "$3" || fail "NVRTC in the program's RUNPATH: the program failed"
WARPWATT_NVRTC="$4/libnvrtc.so.13" run --no-timing -- "$2" || fail "NVRTC by name: the program failed"

WARPWATT_NVRTC=/nonexistent/libnvrtc.so.13 run -- "$2" absent || fail "no NVRTC: wrong codes"
[ "$(grep -c 'own libnvrtc.so.13 was not found' "$work/stderr")" -eq 1 ] || fail "no NVRTC: not said once"
# The look-alike itself is not taken for one.
ours=$(cd "$(dirname "$1")/../lib/warpwatt" && pwd)
WARPWATT_NVRTC="$ours/libnvrtc.so.12" run -- "$2" absent || fail "a look-alike was taken for NVRTC"

# The same of nvJitLink.
LD_LIBRARY_PATH="$4" run --no-timing -- "$5" || fail "nvJitLink in LD_LIBRARY_PATH: the program failed"
grep -q 'module of machine code' "$work/stderr" || fail "machine code: not said"
WARPWATT_NVJITLINK=/nonexistent run -- "$5" absent || fail "no nvJitLink: wrong codes"
[ "$(grep -c 'own libnvJitLink.so.13 was not found' "$work/stderr")" -eq 1 ] || fail "no nvJitLink: not said once"
exit 0
