#!/bin/sh
# generate.sh WARPWATT SOURCE [--check]: makes the tables of docs/generated that need no long runs, or tells which of them are not
# what the program prints now. The others are made from results of the sweeps and runs that docs/validation.md names:
#   warpwatt validate power|measured|h264 --results DIR --markdown
# A study's numbers of runs, which a sweep of hours leaves, lie beside its page (docs/papers.md).
set -eu
case $1 in /*) warpwatt=$1 ;; *) warpwatt=$PWD/$1 ;; esac
cd "$2"
here=docs/generated
check=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
as=cat
# Rows too long for a table: a section per first column, a line per row, folded.
sections() {
    sed '1,2d; s/^| //; s/ |$//' | awk -F ' [|] ' '
        $1 != last { print (last != "" ? "\n" : "") "## " $1 "\n"; last = $1 }
        { print "- `" $2 "` = `" $3 "`" ($4 != "" ? ": " $4 : "") }' | fold -s -w 190 | sed 's/ *$//'
}
make() {
    name=$1 title=$2
    shift 2
    {
        printf '<!-- Made by docs/generate.sh from `warpwatt %s`; do not edit. -->\n\n# %s\n\n' "$*" "$title"
        "$warpwatt" "$@" | "$as"
    } >"$work/$name.md"
    if [ "$check" != --check ]; then
        cp "$work/$name.md" "$here/$name.md"
    elif ! cmp -s "$work/$name.md" "$here/$name.md"; then
        echo "docs/generated/$name.md is not what 'warpwatt $*' prints: run docs/generate.sh"
        diff "$here/$name.md" "$work/$name.md" | head -n 6
        status=1
    fi
}
make area 'Area and static power' validate area --markdown
make structures 'Tables of published mechanisms' validate structures --markdown
make mechanisms Mechanisms list mechs --markdown
make workloads Workloads list workloads --markdown
make counters Counters list counters --markdown
make components Components list components --markdown
for numbers in "$here"/paper-*.csv; do
    [ -f "$numbers" ] || continue
    study=${numbers#"$here/paper-"}
    study=${study%.csv}
    make "paper-$study" "paper-$study" validate paper "$study" --results "$numbers" --markdown 2>"$work/err"
done
as=sections
make maps 'Counters by the names of other programs' list maps --markdown
exit $status
