#!/bin/sh
# What no compiler knows and needs no syntax: no file of C grows beyond what one sitting reads, no function beyond what one idea needs,
# no line of a page beyond what a screen shows, and who is out of memory says it in one way.
set -eu
cd "$1"
sources="base counters arch isa tech perf power mech analysis workloads run api validation runtime cli"
status=0
report() {
    if [ -n "$2" ]; then
        echo "$1:"
        echo "$2"
        status=1
    fi
}
report "out of memory is said by ww_no_memory" \
    "$(grep -rnE '\bww_fail\(.*WW_ENOMEM, *"([Oo]ut of|no) memory( for| while|")' --include='*.c' $sources | grep -v '^base/' || true)"
report "more than 600 lines: divide it along its ideas" \
    "$(find $sources tests -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 }' || true)"
# As formatted, only a function's braces stand alone in the first column. Rows of a table and labels of a switch are no steps.
report "a function of more than 85 lines: name its steps" \
    "$(find $sources -name '*.c' -exec awk 'FNR == 1 { at = 0 } /^\{$/ { at = FNR; n = 0; next }
        at && !/^ *(\{.*\},?( \/\*.*)?|case .*:|default:)$/ { n++ }
        /^\}$/ { if (at && n - 1 > 85) print FILENAME ":" at ": " n - 1; at = 0 }' {} + || true)"
report "a line of more than 200 characters" \
    "$(find README.md CHANGELOG.md docs mech tests validation workloads -name '*.md' -exec env LC_ALL=C.UTF-8 grep -nHE '^.{201}' {} + | cut -c1-120 || true)"
exit $status
