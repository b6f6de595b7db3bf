#!/bin/sh
# Are programs reached that load CUDA by an RPATH or by its path, when that is asked for, and left alone when it is not?
# Usage: redirect.sh WARPWATT PROGRAM PROGRAM_WITH_RPATH FOLDER_OF_FAKE_NVRTC
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() {
    "$warpwatt" run --gpu gtx1080ti --no-timing -- "$@" >"$work/stdout" 2>"$work/stderr"
}
unset LD_LIBRARY_PATH LD_AUDIT WARPWATT_NVRTC WARPWATT_REDIRECT

LD_LIBRARY_PATH="$4" run "$3" && fail "RPATH: the program found our runtime unasked"
LD_LIBRARY_PATH="$4" WARPWATT_REDIRECT=1 run "$3" || fail "RPATH: the program failed"
grep -q 'nvrtc: PASSED' "$work/stdout" || fail "RPATH: the program did not end well"

run "$2" path "$4/libnvrtc.so.13" && fail "path: the program found our NVRTC unasked"
WARPWATT_REDIRECT=1 run "$2" path "$4/libnvrtc.so.13" || fail "path: the program failed"
grep -q 'nvrtc: PASSED' "$work/stdout" || fail "path: the program did not end well"

# Through a shell, and programs without CUDA.
printf '#!/bin/sh\nls /tmp >/dev/null && "%s" path "%s/libnvrtc.so.13"\n' "$2" "$4" >"$work/script"
chmod +x "$work/script"
WARPWATT_REDIRECT=1 run "$work/script" || fail "a script: the program failed"
exit 0
