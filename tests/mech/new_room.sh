#!/bin/sh
# Does adding a mechanism take one folder and two lines? The room that docs/extending.md shows is added to a copy of the sources,
# which must build with it, run it and charge it. (The generated schema is written by its target, as the page says.)
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$work" -xf -
cd "$work"
mkdir mech/idle
awk '/^```/ { if (inside) { inside = 0; next }
              if (match($0, /(file|append)=[^ ]+/)) { split(substr($0, RSTART, RLENGTH), at, "="); out = at[2]; inside = 1; next } }
     inside { print >> out }' docs/extending.md
sed -i 's/^set(WW_ROOMS \(.*\))$/set(WW_ROOMS \1 idle)/' mech/CMakeLists.txt
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DWW_WERROR=ON -DWW_TESTS=OFF >/dev/null
cmake --build build --target generate-schema warpwatt >build.log 2>&1 || { tail -30 build.log; exit 1; }
export WARPWATT_CONFIGS="$work/configs"
build/cli/warpwatt list mechs | grep -q '^idle '
build/cli/warpwatt run --gpu gtx480 --workload vectoradd:small --mech idle --set idle.entries=16 --quiet --out result
grep -q ',idle,ctas_per_instruction,0\.' result/mechanisms.csv
grep -q 'MECH.*idle' result/area.csv
grep -q '^MECH.*count' result/energy_events.csv || grep -q ',MECH,.*count' result/energy_events.csv
