#!/bin/sh
# Compiles NAME.cu (and NAME_*.cu, as separate units) with nvcc and runs it in time and without; it checks itself.
# Usage: compile_and_run.sh NVCC WARPWATT FOLDER NAME [static]: with nvcc's own runtime inside, as it links by default
. "$(dirname "$0")/../../support/scratch.sh"
nvcc=$1
warpwatt=$2
folder=$3
name=$4
units=$(ls "$folder/$name"_*.cu 2>/dev/null || true)
flags="-arch=sm_75"
[ "${5:-}" = static ] || flags="$flags -cudart shared"
[ -z "$units" ] || flags="$flags -rdc=true"
[ "$name" != conditions ] || flags="$flags -rdc=true"
[ "$name" != driver ] || flags="$flags -lcuda -L$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs"
[ "$name" != random ] || flags="$flags -lcurand -lcufft -lcusparse"
"$nvcc" $flags -o "$work/program" "$folder/$name.cu" $units
"$warpwatt" run --gpu gtx580 --no-timing -- "$work/program"
"$warpwatt" run --gpu gtx580 --out "$work/result" -- "$work/program"
[ "$name" != streams ] || "$warpwatt" run --gpu gtx580 --concurrent --out "$work/result" --force -- "$work/program" 1
if [ "${5:-}" = static ]; then
    strip "$work/program"
    if "$warpwatt" run --gpu gtx580 -- "$work/program" 2>"$work/err"; then exit 1; fi
    grep -q 'was stripped.*cudart shared' "$work/err"
fi
