#!/bin/sh
# Does a mechanism stay in its room? Places in sources outside mech/NAME (and outside tests and the registry) that name it: its id, its
# table, its parameters, its counters, its headers. rooms.txt holds those that there are, with the file and how many lines; no other may
# come, and one that goes leaves the list. Nor is a room named where rooms are built: mech/CMakeLists.txt reads the registry.
set -eu
cd "$1"
names=$(sed -n 's|^#include "mech/\(.*\)/mech.def"$|\1|p' mech/registry.def)
[ -n "$names" ] || { echo "no rooms in mech/registry.def"; exit 1; }
list=$(mktemp)
trap 'rm -f "$list" "$list.known"' EXIT
for name in $names; do
    id=$(echo "$name" | tr a-z A-Z)
    longer=$(for other in $names; do case $other in "$name"_*) echo "${other#"$name"_}_" | tr a-z A-Z; esac; done | paste -sd'|' -)
    pattern="WW_MECH_$id\\b|\\bww_mech_$name\\b|WW_C_${id}_${longer:+(?!$longer)}|\\barch(->|\\.)$name\\.|#include \"mech/$name/"
    grep -rcP "$pattern" --include='*.[ch]' base counters arch isa tech perf mech power analysis workloads run inference api validation runtime cli |
        grep -v -e ':0$' -e "^mech/$name/" -e '/test_' | sed "s|^|$name |; s|:| |" >>"$list" || true
    if grep -qw "$name" mech/CMakeLists.txt; then
        echo "mech/CMakeLists.txt names $name: rooms come from mech/registry.def"
        exit 1
    fi
done
sort -o "$list" "$list"
grep -v '^#' tests/lint/rooms.txt | sort >"$list.known"
diff -u "$list.known" "$list" | sed -n 's/^+\([^+]\)/outside its room: \1/p; s/^-\([^-]\)/no longer so, leave it out of rooms.txt: \1/p' | grep . && exit 1
exit 0
