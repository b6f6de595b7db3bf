#!/bin/sh
# Does every folder include only what the design lets it? One line per folder: what it may include besides itself.
set -eu
cd "$1"
status=0
check() {
    folder=$1
    shift
    allowed=" $folder $* "
    for file in "$folder"/*.c "$folder"/*.h "$folder"/*/*.c; do
        [ -f "$file" ] || continue
        case "$folder" in perf) [ "$(dirname "$file")" = perf ] || continue ;; esac
        sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | while read -r header; do
            layer=$(dirname "$header")
            case "$header" in workloads/*) layer=workloads ;; esac
            case "$allowed" in
            *" $layer "*) ;;
            *) echo "$file: may not include $header" ;;
            esac
        done
    done
}
found=$(
    check base
    check counters base
    check arch base
    check isa base counters
    check tech base
    check perf/ptx base isa arch counters
    check perf/exec base isa arch counters perf/ptx perf
    check perf/mem base arch counters
    check perf/sm base isa arch counters perf/ptx perf/exec perf/mem perf perf/mech
    check perf/mech base isa arch counters perf/ptx perf/exec perf/mem perf/sm perf
    check perf base isa arch counters perf/ptx perf/exec perf/mem perf/sm perf/mech
    check power base arch isa counters tech
    check analysis base arch counters power
    check workloads base perf
    check run base arch isa counters tech perf power analysis workloads
    check runtime base arch counters perf run
    check cli base arch isa counters tech perf perf/ptx power analysis workloads run
)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi
