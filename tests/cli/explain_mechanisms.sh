#!/bin/sh
# Does `explain` say of each paper's mechanism, on the machine it is studied on, what it saved, what its own structures cost and what
# the time was worth, and are the three, with nothing else, the whole difference?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
check() {
    name=$1 base=$2 other=$3
    shift 3
    # shellcheck disable=SC2086 # a machine is words
    "$warpwatt" run --gpu $base "$@" --quiet --out "$work/$name-base"
    # shellcheck disable=SC2086
    "$warpwatt" run --gpu $other "$@" --quiet --out "$work/$name"
    "$warpwatt" explain "$work/$name-base" "$work/$name" --json --top 0 >"$work/$name.json" || fail "$name"
    "$warpwatt" explain "$work/$name-base" "$work/$name" --top 3 >"$work/$name.txt" || fail "$name"
    grep -q 'work  ' "$work/$name.txt" && grep -q 'time (background, leakage)' "$work/$name.txt" || fail "$name: $(cat "$work/$name.txt")"
    python3 - "$work/$name.json" "$name" "$work/$name-base/kernels.csv" "$work/$name/kernels.csv" <<'CHECK' || fail "$name"
import csv, json, sys
e, name = json.load(open(sys.argv[1])), sys.argv[2]
def ok(what, is_so):
    if not is_so: sys.exit(f"{name}: {what}")
def seconds(path): return sum(float(row["time [s]"]) for row in csv.DictReader(open(path)))
total, causes = e["components"][-1], e["causes_j"]
near = 1e-9 * max(total["base_j"], total["other_j"])
ok(f"{causes} are not the difference {total['difference_j']}", abs(sum(causes.values()) - total["difference_j"]) <= near)
# DART is a core of its own, whose circuits are others
ok("energies of events changed with the machine", name == "dart" or abs(causes["prices"]) <= near)
own = [c for c in e["components"] if c["component"] == "MECH"]
spent = own[0]["difference_j"] if own else 0
ok(f"structures of its own cost {causes['mechanisms']} J, MECH differs by {spent}", abs(causes["mechanisms"] - spent) <= 1e-15)
ok("structures of its own cost nothing", spent > 0)
faster = seconds(sys.argv[3]) - seconds(sys.argv[4])
ok(f"time was worth {causes['time']} J, and {faster} s were saved", faster * causes["time"] < 0)
ok("work is what it was", causes["work"] != 0)
named = [p["key"] for p in e["parameters"]]
ok(f"the machine is not said to differ by it first, but by {named[0]}", named[0] == "mech.active" or name == "dart" and "mech.active" in named)
print(f"{name}: saved {-1e6 * causes['work']:.3f} uJ of work, {1e6 * causes['mechanisms']:.3f} for its structures, {-1e6 * causes['time']:.3f} of time")
CHECK
}
check caps gtx480-caps "gtx480-caps --mech caps" --workload matrixmul:small
check pmode gtx480-pmode "gtx480-pmode --mech pmode" --workload spmv:small
check dac gtx480-dac "gtx480-dac --mech dac" --workload matrixmul:small
check darsie gtx1080ti-darsie "gtx1080ti-darsie --mech darsie" --workload matrixmul:small
check dart gt200-simd gt200-dart --workload vectoradd:small
