#!/bin/sh
# diary.sh SOURCE [proof]: pages say what is, not how it came about: no number beside what it "was before" or "is now". What users
# notice of a change is in CHANGELOG.md, why a design is as it is in docs/decisions. `proof`: does it refuse each line of
# bad/diary.txt, and no other?
set -eu
cd "$1"
words='(machine|inputs) before\.|(better|worse|more|less|slower|faster|higher|lower) than before\b'
words="$words|from before (that|then|re[a-z]*ed)\b|\bearlier (machine|version)s?\b|[0-9]( %)? then[,;:]|[0-9]( %)? now[,;.)]|\b(is|was|were) mended\b"
words="$words|\b(has|have) been (mended|fixed|corrected|remeasured)\b|\bmeasured anew\b|\buntil now\b|\bsince then\b|\bwhile (it|[A-Z]+) was built\b"
if [ "${2:-}" = proof ]; then
    total=$(grep -c . tests/lint/bad/diary.txt)
    seen=$(grep -cE "$words" tests/lint/bad/diary.txt)
    [ "$total" -eq "$seen" ] || { grep -vE "$words" tests/lint/bad/diary.txt; echo "$seen of $total lines are refused"; exit 1; }
    exit 0
fi
found=$(find README.md CONTRIBUTING.md docs mech inference tests validation workloads python -name '*.md' ! -path 'docs/decisions/*' ! -path 'docs/generated/*' \
    -exec env LC_ALL=C.UTF-8 grep -nHE "$words" {} + || true)
[ -z "$found" ] || { echo "a diary: say what is"; echo "$found" | cut -c1-200; exit 1; }
