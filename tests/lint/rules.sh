#!/bin/sh
# Rules that a compiler does not know: libraries neither print nor exit, allocate through base/mem.h, keep no mutable globals of
# static storage at file scope, tests compare doubles as doubles, no file of C grows beyond what one sitting reads, and no line of
# a page beyond what a screen shows.
set -eu
cd "$1"
libraries="counters arch isa tech perf power mech analysis workloads run inference api validation"
status=0
report() {
    if [ -n "$2" ]; then
        echo "$1:"
        echo "$2"
        status=1
    fi
}
report "libraries must not print, exit or abort" \
    "$(grep -rnE '\b(printf|puts|putchar|exit|abort|perror|fprintf *\( *std(out|err))\b *\(' --include='*.c' $libraries | grep -vE 'generate_|snprintf|fprintf' || true)"
report "libraries allocate through base/mem.h" \
    "$(grep -rnE '\b(malloc|calloc|realloc|strdup|free) *\(' --include='*.c' $libraries | grep -vE 'ww_|^[^:]*:[0-9]+: *(/\*|\*)|xml[A-Z]|generate_' || true)"
report "mutable file-scope variables" \
    "$(grep -rnE '^static [a-z_0-9 ]+\*? ?[a-z_0-9]+(\[[^]]*\])* *(=|;)' --include='*.c' base $libraries | grep -vE '^mech/[^/]*/test_|const|_Thread_local|inline' || true)"
report "cmocka's float comparison goes through float; use assert_near" \
    "$(grep -rnE 'assert_float_(not_)?equal' --include='*.c' tests || true)"
report "out of memory is said by ww_no_memory" \
    "$(grep -rnE '\bww_fail\(.*WW_ENOMEM, *"([Oo]ut of|no) memory( for| while|")' --include='*.c' $libraries runtime cli || true)"
report "more than 600 lines: divide it along its ideas" \
    "$(find base isa runtime cli tests $libraries -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 }' || true)"
report "a line of more than 200 characters" \
    "$(find README.md CHANGELOG.md docs mech tests validation workloads -name '*.md' -exec env LC_ALL=C.UTF-8 grep -nHE '^.{201}' {} + | cut -c1-120 || true)"
exit $status
