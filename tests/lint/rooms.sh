#!/bin/sh
# rooms.sh SOURCE: does a mechanism stay in its room? No source outside mech/NAME (and outside tests and the registry) may name it: its
# id, its table, its parameters, its counters, its headers. What others must know of it is a row of its mech.def; what it needs of
# others is a service of the seam. Nor is a room named where rooms are built: mech/CMakeLists.txt reads the registry. Each row that
# mech/rows.h expands is described at its head, at the beginning of a line.
# rooms.sh SOURCE proof: does it refuse each line of the files in bad_tree that says so, and nothing else?
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folders="base counters arch isa tech perf mech power analysis workloads run inference api validation runtime cli"

# rooms TREE: what is wrong, a line each; file:line: of sources.
rooms() (
    cd "$1"
    names=$(sed -n 's|^#include "mech/\(.*\)/mech.def"$|\1|p' mech/registry.def)
    [ -n "$names" ] || echo "no rooms in mech/registry.def"
    for name in $names; do
        id=$(echo "$name" | tr a-z A-Z)
        longer=$(for other in $names; do case $other in "$name"_*) echo "${other#"$name"_}_" | tr a-z A-Z; esac; done | paste -sd'|' -)
        pattern="WW_MECH_$id\\b|\\bww_mech_$name\\b|WW_C_${id}_${longer:+(?!$longer)}|\\barch(->|\\.)$name\\.|#include \"mech/$name/"
        grep -rnP "$pattern" --include='*.[ch]' $(for folder in $folders; do [ ! -d "$folder" ] || echo "$folder"; done) |
            grep -v -e "^mech/$name/" -e '/test_[^/]*:[0-9]*:' | sed "s|\$| (outside the room of $name)|" || true
        grep -nw "$name" mech/CMakeLists.txt | sed 's|^|mech/CMakeLists.txt:|; s|$| (rooms come from mech/registry.def)|' || true
    done
    [ ! -f mech/rows.h ] || sed -n 's/^#ifndef \(WW_MECH[A-Z_]*\)\( .*\)*$/\1/p' mech/rows.h | while read -r row; do
        grep -qE "^ \*   (WW_MECH.* )?$row(\(|$)" mech/rows.h || grep -nw "^#ifndef $row" mech/rows.h | sed "s|^|mech/rows.h:|; s|\$| (described nowhere at the head)|"
    done
)

if [ "${2:-}" != proof ]; then
    found=$(rooms "$1")
    [ -z "$found" ] || { echo "$found"; exit 1; }
    exit 0
fi
. "$here/../support/scratch.sh"
rooms "$here/bad_tree" | cut -d: -f1,2 | sort -u >"$work/is"
(cd "$here/bad_tree" && grep -rn 'refused:.* rooms' .) | sed 's|^\./||' | cut -d: -f1,2 | sort -u >"$work/should"
[ -s "$work/should" ] || fail "no bad file"
diff "$work/should" "$work/is" || fail "<: was to be refused, >: was refused"
echo "$(wc -l <"$work/should") lines of bad files are refused"
