#!/bin/bash
# syntax.sh SOURCE BUILD tree: does the tree keep the rules of syntax.rules, as clang-query sees it?
# syntax.sh SOURCE BUILD proof: does each rule refuse what its bad file says, and nothing else?
# 77: there is no clang-query (Debian: clang-tools). BUILD: where compile_commands.json lies.
set -euo pipefail
source=$(realpath "$1") build=$(realpath "$2") mode=$3
rules=$source/tests/lint/syntax.rules
command -v clang-query >/dev/null || { echo "no clang-query (Debian: clang-tools)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^rule: / { rule = $2 } /^match: / { sub(/^match: /, ""); print "match " $0 ".bind(\"" rule "\")" }
     BEGIN { print "set output diag"; print "set bind-root false" }' "$rules" >"$work/query"

# Lines of "file:line rule" from what clang-query says; it fails where something could not be read, so that nothing passes unread.
found() {
    if grep -E '^([^ ]+:[0-9]+:[0-9]+: )?((fatal )?error:|Error )' "$1" >"$work/errors"; then
        echo "could not be read:" >&2
        head -5 "$work/errors" >&2
        return 1
    fi
    sed -nE 's/^([^:]+):([0-9]+):[0-9]+: note: "([a-z-]+)" binds here$/\1:\2 \3/p' "$1" | sed "s|^$source/||" | sort -u
}

if [ "$mode" = proof ]; then
    cd "$source/tests/lint/bad"
    clang-query -f "$work/query" ./*.c -- -I "$source" -DWW_ASSERTS -Wno-everything >"$work/out" 2>&1
    found "$work/out" | sed 's|^tests/lint/bad/||; s|^\./||' >"$work/is"
    grep -noE '/\* refused: [a-z-]+' ./*.c | sed -E 's|^\./||; s|:/\* refused: | |' | sort -u >"$work/should"
    awk '/^rule: / { print $2 }' "$rules" | while read -r rule; do
        [ -f "$rule.c" ] && grep -q "^$rule.c:[0-9]* $rule\$" "$work/should" || { echo "no bad file shows $rule"; exit 1; }
    done
    diff "$work/should" "$work/is" || { echo "<: was to be refused, >: was refused"; exit 1; }
    echo "$(grep -c '^rule: ' "$rules") rules refuse $(wc -l <"$work/should") lines of $(ls ./*.c | wc -l) bad files"
    exit
fi

# Each file once; what the build writes is as good as what writes it.
sed -nE 's/^ *"file": "(.*\.c)",?$/\1/p' "$build/compile_commands.json" | sort -u | grep -v "^$build/" >"$work/files"
export build work
xargs -a "$work/files" -n 40 -P "$(nproc)" \
    sh -c 'clang-query -p "$build" --extra-arg=-w -f "$work/query" "$@" >"$(mktemp "$work/part.XXXXXX")" 2>&1' clang-query || true
cat "$work"/part.* >"$work/out"
found "$work/out" >"$work/is"

# A rule holds in its folders but for the files that it passes over, each of which must need it.
status=0
awk -v rules="$rules" '
    BEGIN {
        while ((getline line <rules) > 0) {
            key = line; sub(/:.*/, "", key)
            rest = line; sub(/^[a-z]*: /, "", rest)
            if (key == "rule") rule = rest
            if (key == "why") why[rule] = rest
            if (key == "where") where[rule] = " " rest " "
            if (key == "except") { sub(/ .*/, "", rest); passed[rule SUBSEP rest] = 0 }
        }
    }
    {
        file = $1; sub(/:.*/, "", file)
        folder = file; sub(/\/.*/, "", folder)
        # Tests and programs of the build lie in the folders of the product: they keep what holds for tests.
        if (file ~ /\/(test_|generate_)[^\/]*$/ && where[$2] !~ / tests /) next
        if (index(where[$2], " " folder " ") == 0) next
        if (($2 SUBSEP file) in passed) { passed[$2 SUBSEP file]++; next }
        print $1 ": " $2 ": " why[$2]
        bad = 1
    }
    END {
        for (p in passed) if (passed[p] == 0) { split(p, part, SUBSEP); print part[2] ": " part[1] " need not pass it over"; bad = 1 }
        exit bad
    }' "$work/is" || status=1
echo "$(grep -c '^rule: ' "$rules") rules over $(wc -l <"$work/files") files"
exit $status
