#!/bin/sh
# mutate.sh SOURCE check: does every mutant of mutants.txt still find its text, once, in its file?
# mutate.sh SOURCE run [NAME ...]: plants each fault (or those named) in a copy of the source tree, builds the tests that
# should notice it, and says which do not. Goldens are left out on purpose: they tell that a byte changed, not what is wrong.
# A mutant that says "dies: assertion" is built with assertions, and one of them must end its test, whatever the test itself finds.
# A table of a mutant, killed or SURVIVED, and its tests; exit status 1 when one survives. WW_MUTATE_DIR: where the copy is kept.
set -eu
source=$1 mode=$2
shift 2
list=$source/tests/mutate/mutants.txt
names() { sed -n 's/^mutant: //p' "$list"; }

# field NAME KEY: one line of a mutant.
field() {
    awk -v name="$1" -v key="$2" '
        /^mutant: / { mine = substr($0, 9) == name; next }
        mine && index($0, key) == 1 { print substr($0, length(key) + 1); exit }' "$list"
}

# plant NAME TREE: replaces the text in its file; fails unless it is there exactly once, or, where the mutant has one, behind the
# line of "after: ".
plant() {
    planted=$2/$(field "$1" 'file: ')
    OLD=$(field "$1" '- ') NEW=$(field "$1" '+ ') AFTER=$(field "$1" 'after: ') awk '
        BEGIN { old = ENVIRON["OLD"]; new = ENVIRON["NEW"]; after = ENVIRON["AFTER"]; here = after == "" }
        after != "" && index($0, after) > 0 { here = 1 }
        {
            at = here ? index($0, old) : 0
            if (old != "" && at > 0) {
                here = after == ""
                found++
                if (index(substr($0, at + 1), old) > 0) found++
                $0 = substr($0, 1, at - 1) new substr($0, at + length(old))
            }
            print
        }
        END { exit found != 1 }' "$planted" >"$planted.mutant" || { rm -f "$planted.mutant"; return 1; }
    mv "$planted.mutant" "$planted"
}

targets() { for t in $1; do printf 'test.%s ' "$(echo "$t" | tr / .)"; done; }

if [ "$mode" = check ]; then
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    status=0
    for name in $(names); do
        file=$(field "$name" 'file: ')
        mkdir -p "$copy/$(dirname "$file")"
        cp "$source/$file" "$copy/$file" || status=1
        plant "$name" "$copy" || { echo "$name: its text is not once in $file"; status=1; }
        for t in $(field "$name" 'tests: '); do
            [ -f "$source/tests/$t.c" ] || [ -f "$source/$t.c" ] || { echo "$name: no test $t"; status=1; }
        done
    done
    exit $status
fi

tree=${WW_MUTATE_DIR:-$(mktemp -d)}
[ -n "${WW_MUTATE_DIR:-}" ] || trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/source"
(cd "$source" && git ls-files -z | tar -cf - --null -T -) | tar -xf - -C "$tree/source"
[ $# -gt 0 ] || set -- $(names)
folder() { # NAME: where it is built
    [ "$(field "$1" 'dies: ')" = assertion ] && echo checked || echo build
}
tests_in() { # FOLDER NAME...: tests of the mutants that are built there
    in=$1
    shift
    for name in "$@"; do [ "$(folder "$name")" != "$in" ] || field "$name" 'tests: '; done | tr ' ' '\n' | sort -u
}
runs() { # FOLDER TESTS: whether all of them pass; what they say is in $tree/said, of all where an assertion is looked for
    : >"$tree/said"
    bad=0
    for t in $2; do
        (cd "$tree/$1" && ctest -R "^$t\$" --timeout 300 --output-on-failure >>"$tree/said" 2>&1) || bad=1
        [ $bad -eq 0 ] || [ "$1" = checked ] || return 1
    done
    return $bad
}
for folder in build checked; do
    tests=$(tests_in $folder "$@")
    [ -n "$tests" ] || continue
    asserts=OFF
    [ $folder = build ] || asserts=ON
    cmake -S "$tree/source" -B "$tree/$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWW_ASSERTS=$asserts >>"$tree/log" 2>&1
    cmake --build "$tree/$folder" --target $(targets "$tests") >>"$tree/log" 2>&1 || { tail -3 "$tree/log"; echo "it does not build without any mutant"; exit 2; }
    runs $folder "$tests" || { echo "the tests fail without any mutant: $tree/said"; trap - EXIT; exit 2; }
done
survived=0
for name in "$@"; do
    file=$(field "$name" 'file: ')
    tests=$(field "$name" 'tests: ')
    cp "$tree/source/$file" "$tree/kept"
    plant "$name" "$tree/source"
    verdict=killed
    folder=$(folder "$name")
    if ! cmake --build "$tree/$folder" --target $(targets "$tests") >>"$tree/log" 2>&1; then
        verdict='DOES NOT COMPILE'
        survived=$((survived + 1))
    elif runs "$folder" "$tests"; then
        verdict=SURVIVED
        survived=$((survived + 1))
    elif [ "$folder" = checked ] && ! grep -q 'does not hold:' "$tree/said"; then
        verdict='NOT BY ASSERTION'
        survived=$((survived + 1))
    fi
    printf '%-28s %-17s %s\n' "$name" "$verdict" "$tests"
    cp "$tree/kept" "$tree/source/$file"
done
echo "$# mutants, $survived not killed"
[ "$survived" -eq 0 ]
