#!/bin/sh
# Does every header compile alone?
set -eu
cd "$1"
status=0
for header in base/*.h counters/*.h arch/*.h isa/*.h tech/*.h perf/*.h perf/*/*.h perf/*/*/*.h power/*.h mech/*.h mech/*/*.h analysis/*.h workloads/*.h run/*.h inference/*.h api/*.h runtime/*.h runtime/*/*.h cli/*.h; do
    [ -f "$header" ] || continue
    if ! printf '#include "%s"\n' "$header" | "$2" -std=gnu17 -Wall -Wextra -Wno-unused -I. -I/usr/include/libxml2 -fsyntax-only -x c - 2>/tmp/ww-header.$$; then
        echo "$header does not stand alone:"
        cat /tmp/ww-header.$$
        status=1
    fi
done
rm -f /tmp/ww-header.$$
exit $status
