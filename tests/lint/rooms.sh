#!/bin/sh
# Does a mechanism stay in its room? No source outside mech/NAME (and outside tests and the registry) may name it: its id, its table, its
# parameters, its counters, its headers. What others must know of it is a row of its mech.def; what it needs of others is a service of the
# seam. Nor is a room named where rooms are built: mech/CMakeLists.txt reads the registry.
set -eu
cd "$1"
names=$(sed -n 's|^#include "mech/\(.*\)/mech.def"$|\1|p' mech/registry.def)
[ -n "$names" ] || { echo "no rooms in mech/registry.def"; exit 1; }
found=0
for name in $names; do
    id=$(echo "$name" | tr a-z A-Z)
    longer=$(for other in $names; do case $other in "$name"_*) echo "${other#"$name"_}_" | tr a-z A-Z; esac; done | paste -sd'|' -)
    pattern="WW_MECH_$id\\b|\\bww_mech_$name\\b|WW_C_${id}_${longer:+(?!$longer)}|\\barch(->|\\.)$name\\.|#include \"mech/$name/"
    if grep -rnP "$pattern" --include='*.[ch]' base counters arch isa tech perf mech power analysis workloads run inference api validation runtime cli |
        grep -v -e "^mech/$name/" -e '/test_[^/]*:[0-9]*:' | sed "s|^|outside the room of $name: |" | grep .; then
        found=1
    fi
    if grep -qw "$name" mech/CMakeLists.txt; then
        echo "mech/CMakeLists.txt names $name: rooms come from mech/registry.def"
        found=1
    fi
done
exit $found
