#!/bin/sh
# floors.sh SOURCE [--check]: draws docs/images/floors.svg from what the folders include of each other: a folder stands one floor
# above the highest that it includes, and a line is drawn where no longer way says the same. --check: tells when the picture is old.
set -eu
cd "$1"
check=${2:-}
picture=docs/images/floors.svg
work=$(mktemp)
trap 'rm -f "$work"' EXIT
grep -r --include='*.c' --include='*.h' --exclude='test_*' --exclude='overhead*' '^#include "' \
    base counters arch isa tech perf mech power analysis workloads run inference api validation models runtime cli 2>/dev/null | LC_ALL=C awk -F'[:"]' '
    # A room of the page: perf and its folders apart, mechanisms together, what lies deeper with its room.
    function room(path,   n, part) {
        n = split(path, part, "/")
        if (part[1] == "perf") return n > 2 ? "perf/" part[2] : "perf/types"
        return part[1]
    }
    # Where on its floor a folder stands, so that few lines cross; one without a place shares its floor evenly.
    BEGIN {
        split("cli 460 api 160 runtime 460 validation 760 run 460 inference 640 models 660 workloads 300 perf/api 300 perf/sampling 300 perf/gpu 300 mech 300 " \
              "perf/sm 300 perf/exec 240 perf/ptx 160 perf/mem 400 isa 160 analysis 760 power 760 arch 300 counters 520 tech 760 base 460", place, " ")
        for (i = 1; i in place; i += 2) hint[place[i]] = place[i + 1]
    }
    # Tables that anyone may read (mech/rows.h and what it gathers) are no floor of their own.
    $3 ~ /^mech\/(rows\.h|registry\.def)$/ { next }
    $3 ~ /\.def$/ && $3 ~ /^mech/ { next }
    { a = room($1); b = room($3) }
    $3 !~ /\// { next }
    a == "perf/types" || b == "perf/types" || b == "version.h" { next }
    a != b { includes[a, b] = 1; known[a] = known[b] = 1 }
    END {
        n = 0
        for (name in known) names[++n] = name
        for (i = 2; i <= n; i++) # by name, so that the picture is the same on every machine
            for (j = i; j > 1 && names[j] < names[j - 1]; j--) { t = names[j]; names[j] = names[j - 1]; names[j - 1] = t }
        for (i = 1; i <= n; i++) floor[names[i]] = 0
        for (pass = 1; pass <= n; pass++)
            for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)
                if ((names[i], names[j]) in includes && floor[names[i]] <= floor[names[j]]) {
                    floor[names[i]] = floor[names[j]] + 1
                    if (pass == n) { print "folders include each other in a circle: " names[i] ", " names[j] > "/dev/stderr"; exit 1 }
                }
        for (i = 1; i <= n; i++) { of[floor[names[i]]]++; if (floor[names[i]] > top) top = floor[names[i]] }
        wide = 920; high = 62 * (top + 1) + 20
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"14\">\n", wide, high
        printf "<title>Folders of WarpWatt; each includes only what stands below it</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", wide, high
        for (i = 1; i <= n; i++) {
            f = floor[names[i]]
            x[names[i]] = names[i] in hint ? hint[names[i]] : wide * (++at[f] - 0.5) / of[f]
            y[names[i]] = high - 40 - 62 * f
        }
        for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) {
            if (!((names[i], names[j]) in includes)) continue
            longer = 0
            for (k = 1; k <= n; k++) if (((names[i], names[k]) in includes) && reaches(names[k], names[j], includes, names, n)) longer = 1
            if (!longer) printf "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke=\"#9aa5b1\"/>\n", x[names[i]], y[names[i]], x[names[j]], y[names[j]]
        }
        for (i = 1; i <= n; i++) {
            w = 9 * length(names[i]) + 18
            printf "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"28\" rx=\"4\" fill=\"#eef3f8\" stroke=\"#52667a\"/>", x[names[i]] - w / 2, y[names[i]] - 14, w
            printf "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" fill=\"#1f2933\">%s</text>\n", x[names[i]], y[names[i]] + 5, names[i]
        }
        print "</svg>"
    }
    function reaches(a, b, inc, names, n,   k) {
        if ((a, b) in inc) return 1
        for (k = 1; k <= n; k++) if (((a, names[k]) in inc) && reaches(names[k], b, inc, names, n)) return 1
        return 0
    }' >"$work"
if [ "$check" != --check ]; then
    cp "$work" "$picture"
elif ! cmp -s "$work" "$picture"; then
    echo "$picture is not what the folders include: run docs/floors.sh ."
    exit 1
fi
