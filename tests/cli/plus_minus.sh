#!/bin/sh
# Is the +- that `run` prints also in a report's tables, plots and comparisons, and does a comparison know what two runs have in common?
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() { name=$1; shift; "$warpwatt" run --workload vectoradd:small,matrixmul:small --quiet --out "$work/$name" "$@"; }
run base --gpu qv100
run slow --gpu qv100 --set sm.schedulers=2
run other --gpu a100
run borrowed --gpu rtx2060s
"$warpwatt" power --activity "$work/base/activity.xml" --json >"$work/base.json"
"$warpwatt" report "$work/base" --out "$work/one.html" --quiet
"$warpwatt" report "$work/base" "$work/slow" "$work/other" "$work/borrowed" --out "$work/all.html" --quiet
"$warpwatt" analyze compare "$work/base" "$work/slow" "$work/other" --json >"$work/compare.json"
"$warpwatt" analyze compare "$work/base" "$work/base" --json >"$work/same.json"
python3 - "$work" <<'CHECK'
import csv, json, math, sys
work = sys.argv[1]
def rows(name): return list(csv.DictReader(open(f"{work}/{name}")))
def near(a, b, bar=1e-9): return abs(float(a) - float(b)) <= bar * abs(float(b))
def check(what, ok):
    if not ok: sys.exit(what)

# Joules by group are the run's joules, and their covariance gives the uncertainty of power.csv.
errors = {r["key"]: r for r in rows("base/uncertainty.csv")}
keys = [k for k in errors if k not in ("model", "voltage")]
for total in (r for r in rows("base/power.csv") if r["component"] == "TOTAL"):
    mine = [r for r in rows("base/groups.csv") if all(r[c] == total[c] for c in ("workload", "kernel", "launch"))]
    joules = {k: sum(float(r["energy [J]"]) for r in mine if r["group"] == k) for k in keys}
    whole = sum(float(total[c + "_energy [J]"]) for c in ("event", "background", "leakage"))
    check("groups do not sum to the energy", near(sum(joules.values()), whole))
    variance = sum(joules[a] * joules[b] * float(errors[a][f"{b} [1]"]) * float(errors[a]["sigma [1]"]) * float(errors[b]["sigma [1]"])
                   for a in keys for b in keys) + (whole * float(errors["model"]["sigma [1]"])) ** 2
    seconds = whole / float(total["total_power [W]"])
    check("not the uncertainty of power.csv", near(math.sqrt(variance) / seconds, total["uncertainty [W]"], 1e-6))

# What is printed is in every table.
printed = {f"{k['workload']}/{k['kernel']}": k for k in json.load(open(f"{work}/base.json"))["kernels"]}
for name, total in (("one-files/breakdown.csv", "total_plus_minus [W]"), ("one-files/metrics.csv", "total_plus_minus [W]")):
    for r in rows(name):
        check(f"{name}: {r['kernel']} {r[total]}", abs(float(r[total]) - printed[r["kernel"]]["plus_minus_w"]) < 0.051)
for r in rows("one-files/energy.csv"):
    p = printed[r["kernel"]]
    check(f"energy of {r['kernel']}", near(float(r["total_plus_minus [J]"]) / float(r["total [J]"]), p["plus_minus_w"] / p["total_w"], 0.02))
    check("a component has none", all(float(r[f"{c}_plus_minus [J]"]) > 0 for c in ("RF", "EU", "GM")))

# One card: errors in common cancel. Two cards: each has its own.
compared = rows("all-files/comparison.csv")
def energy(s, kernel): return next(r for r in compared if r["set"] == s and r["kernel"] == kernel)
for kernel in list(printed) + ["geometric mean"]:
    slow, other = energy("slow", kernel), energy("other", kernel)
    check(f"{kernel}: nothing in common on one card", float(slow["energy_ratio_plus_minus [1]"]) < 0.01)
    check(f"{kernel}: too much in common on two cards", float(other["energy_ratio_plus_minus [1]"]) > 0.1)
    check(f"{kernel}: {other['energy_difference']}", other["energy_difference"] == "within")
check("a second scheduler less is not seen", energy("slow", "matrixmul/matrixMul32")["energy_difference"] == "exceeds")
same = json.load(open(f"{work}/same.json"))["sets"][1]
for k in same["kernels"]:
    check("a run differs from itself", k["energy"]["difference"] == "within" and k["energy"]["ratio_plus_minus"] < 1e-12)
    check("its own uncertainty is gone", k["energy"]["plus_minus"] > 0)
page = open(f"{work}/all.html").read()
check("the page does not say which cards are borrowed", "Energies of base are calibrated" in page and "and of borrowed borrowed." in page)
check("no error bars", 'class="eb"' in open(f"{work}/one-files/energy.svg").read() and 'class="eb"' in open(f"{work}/all-files/comparison-energy.svg").read())
CHECK
"$warpwatt" analyze compare "$work/base" "$work/other" >"$work/text"
grep -q 'other (energies calibrated, those of .*base calibrated, each with errors of its own)' "$work/text" || fail "calibrations: $(cat "$work/text")"

# Results of earlier versions, and tables, have none; damaged files say where.
cp -r "$work/base" "$work/old"
rm "$work/old/groups.csv" "$work/old/files.csv"
"$warpwatt" analyze compare "$work/old" "$work/slow" --json >"$work/old.json" || fail "a result without groups is refused"
grep -q ratio_plus_minus "$work/old.json" && fail "an uncertainty of nothing"
cp -r "$work/base" "$work/damaged"
rm "$work/damaged/files.csv"
sed -i '2s/,[^,]*$/,x/' "$work/damaged/uncertainty.csv"
refuses 'uncertainty.csv:2:' "$warpwatt" analyze compare "$work/damaged" "$work/slow"
