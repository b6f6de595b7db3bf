#!/bin/sh
# Does every folder include only what the design lets it? One line per folder: what it may include besides itself. A file
# belongs to the nearest folder above it that has a line.
set -eu
cd "$1"
found=$(
    grep -r --include='*.c' --include='*.h' '^#include "' base counters arch isa tech perf mech power analysis workloads run inference api validation runtime cli | awk -F'[:"]' '
    function may(folder, list,   n, part, i) {
        known[folder] = 1
        n = split(folder " " list, part, " ")
        for (i = 1; i <= n; i++) allowed[folder, part[i]] = 1
    }
    function dir(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "" }
    # The nearest folder above, or the path itself, that has a line.
    function known_above(folder) {
        while (!(folder in known) && folder != "") folder = dir(folder)
        return folder
    }
    function layer_of(header) {
        if (header == "perf/types.h") return "perf/types" # what the device API and the executor share
        return header ~ /^mech\/.*\// ? dir(header) : known_above(dir(header))
    }
    # A room of a mechanism: its overhead belongs to power and sees nothing of perf, the rest sits on the SM and sees nothing of
    # power; its tests see both.
    function room_may(file, layer) {
        if (file ~ /\/test_/ || layer == dir(file) || layer == "mech/lib") return 1
        return allowed[file ~ /\/overhead[^\/]*$/ ? "mech overhead" : "mech", layer]
    }
    BEGIN {
        may("base", "")
        may("counters", "base mech")
        may("arch", "base mech")
        may("isa", "base counters")
        may("tech", "base")
        may("perf/ptx/form", "base isa")
        may("perf/ptx/parse", "base isa perf/ptx perf/ptx/form")
        may("perf/ptx", "base isa arch counters perf/ptx/form perf/ptx/parse perf/ptx/analysis")
        may("perf/ptx/analysis", "base isa perf/ptx")
        may("perf/exec/lanes", "base isa perf/ptx perf/types")
        may("perf/exec", "base isa arch counters perf/ptx perf/types perf/exec/lanes")
        may("perf/mem", "base arch counters")
        may("perf/sm", "base isa arch counters perf/ptx perf/exec perf/mem")
        may("mech", "base arch isa counters perf/ptx perf/ptx/analysis perf/exec perf/mem perf/sm")
        may("mech overhead", "base arch isa counters tech power")
        may("perf/gpu", "base isa arch counters perf/types perf/ptx perf/exec perf/mem perf/sm mech")
        may("perf/sampling", "base isa arch counters perf/types perf/ptx perf/exec perf/mem perf/sm perf/gpu")
        may("perf/api", "base isa arch counters perf/types perf/ptx perf/ptx/analysis perf/exec perf/mem perf/sm perf/gpu perf/sampling mech")
        may("power", "base arch isa counters tech mech")
        may("analysis", "base arch counters power mech")
        may("workloads", "base isa perf/types perf/api")
        may("run", "base arch isa counters tech perf/types perf/api power analysis workloads")
        may("inference", "base arch counters perf/types perf/api power analysis workloads run")
        may("api", "base arch counters perf/types perf/api power analysis workloads run")
        may("validation", "base arch isa counters tech perf/types perf/api power analysis workloads run inference")
        may("runtime", "base arch counters isa perf/types perf/api run")
        may("runtime/nvrtc", "base runtime")
        may("runtime/math", "base runtime")
        may("cli", "base arch isa counters tech perf/types perf/api perf/ptx perf/ptx/analysis power analysis workloads run inference validation")
    }
    {
        file = $1
        layer = layer_of($3)
        folder = known_above(dir(file))
        if (folder == "mech" ? room_may(file, layer) : ((folder, layer) in allowed)) next
        print file ": may not include " $3
    }'
)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi
