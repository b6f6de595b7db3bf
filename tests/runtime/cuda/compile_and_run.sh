#!/bin/sh
# Compiles NAME.cu (and NAME_*.cu, as separate units) with nvcc and runs it in time and without; it checks itself.
# Usage: compile_and_run.sh NVCC WARPWATT FOLDER NAME
set -eu
nvcc=$1
warpwatt=$2
folder=$3
name=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
units=$(ls "$folder/$name"_*.cu 2>/dev/null || true)
flags="-cudart shared -arch=sm_75"
[ -z "$units" ] || flags="$flags -rdc=true"
[ "$name" != conditions ] || flags="$flags -rdc=true"
[ "$name" != driver ] || flags="$flags -lcuda -L$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs"
"$nvcc" $flags -o "$work/program" "$folder/$name.cu" $units
"$warpwatt" run --gpu gtx580 --no-timing -- "$work/program"
"$warpwatt" run --gpu gtx580 --out "$work/result" -- "$work/program"
[ "$name" != streams ] || "$warpwatt" run --gpu gtx580 --concurrent --out "$work/result" -- "$work/program" 1
