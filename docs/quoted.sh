#!/bin/sh
# quoted.sh SOURCE: are the numbers that docs/validation/measured.md quotes those of the table that `validate measured` makes? Of each card mean and
# signed error and r, of all how many rows hold within their intervals and their root mean square.
set -eu
cd "$1"
work=$(mktemp)
trap 'rm -f "$work" "$work.want"' EXIT
tr '\n' ' ' <docs/validation/measured.md | tr -s ' ' >"$work"
wrong=0
LC_ALL=C awk -F ' *[|] *' '
    $3 == "split" { summary = 1 }
    $2 == "" { summary = 0 }
    summary && $3 == "all" {
        if ($2 == "all") printf "of %d rows %.0f hold, root mean square %.2f;\n", $4, $4 * $12 / 100, $13
        else printf "%s %% off (signed %s %%, r %s;\n", $5, ($6 < 0 ? "−" substr($6, 2) : "+" $6), $8
    }' docs/generated/measured.md >"$work.want"
[ "$(wc -l <"$work.want")" -ge 2 ] || { echo "docs/generated/measured.md has no summary"; exit 1; }
while IFS= read -r words; do
    grep -qF -- "$words" "$work" || { echo "docs/validation/measured.md lacks what its table says: '$words'"; wrong=1; }
done <"$work.want"
exit $wrong
