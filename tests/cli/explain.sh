#!/bin/sh
# `warpwatt explain`: a run differs from itself in nothing, the parts of a difference add up to it, and what was changed is what is named first.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
run() { name=$1; shift; "$warpwatt" run --gpu gtx480 --workload bfs:small --quiet --out "$work/$name" "$@"; }
run base
run slow --set mem.rop_latency=480
run dac --mech dac
"$warpwatt" power --activity "$work/base/activity.xml" --set chip.vdd_v=0.5 --quiet --out "$work/half" 2>/dev/null
"$warpwatt" explain "$work/base" "$work/base" --json >"$work/same.json"
"$warpwatt" explain "$work/base" "$work/base" --out "$work/same.csv" --quiet
for pair in "base half" "base slow" "base dac" "dac base"; do
    set -- $pair
    "$warpwatt" explain "$work/$1" "$work/$2" --top 0 --json >"$work/$1-$2.json"
    "$warpwatt" explain "$work/$1" "$work/$2" --top 0 --json --symmetric >"$work/$1-$2-symmetric.json"
done
python3 - "$work" <<'CHECK'
import csv, json, sys
work = sys.argv[1]
parts = ("more_events_j", "longer_j", "dearer_j", "both_j")
def load(name): return json.load(open(f"{work}/{name}.json"))
def total(e): return e["components"][-1]
def check(what, ok):
    if not ok: sys.exit(what)
same = load("same")
check("a run differs from itself", same["events"] == [] and same["parameters"] == [] and not any(same["causes_j"].values()))
for row in csv.DictReader(open(f"{work}/same.csv")):
    check(f"a part of nothing: {row}", all(float(row[p]) == 0 for p in ("difference [J]", "more [J]", "longer [J]", "dearer [J]", "both [J]")))
for pair in ("base-half", "base-slow", "base-dac", "dac-base"):
    for suffix in ("", "-symmetric"):
        e = load(pair + suffix)
        t = total(e)
        near = 1e-9 * max(t["base_j"], t["other_j"])
        for row in e["components"] + e["events"]:
            check(f"{pair}: parts of {row}", abs(sum(row[p] for p in parts) - row["difference_j"]) <= near)
            check(f"{pair}: difference of {row}", abs(row["other_j"] - row["base_j"] - row["difference_j"]) <= near)
        check(f"{pair}: causes", abs(sum(e["causes_j"].values()) - t["difference_j"]) <= near)
        check(f"{pair}: components", abs(sum(c["difference_j"] for c in e["components"][:-1]) - t["difference_j"]) <= near)
        check(f"{pair}: events", abs(sum(r["difference_j"] for r in e["events"]) - t["difference_j"]) <= near)
def first(pair): return load(pair)["events"][0]["reason"]
def most(pair): return max(load(pair)["causes_j"].items(), key=lambda c: abs(c[1]))[0]
check(f"half the voltage: {first('base-half')}, {most('base-half')}", first("base-half") == "cheaper" and most("base-half") == "prices")
check(f"half the voltage: {load('base-half')['parameters']}", [p["key"] for p in load("base-half")["parameters"]] == ["chip.vdd_v"])
check("half the voltage: more than prices", total(load("base-half"))["more_events_j"] == 0 and total(load("base-half"))["longer_j"] == 0)
check(f"a slower memory: {first('base-slow')}, {most('base-slow')}", first("base-slow") == "longer time" and most("base-slow") == "time")
dac = load("base-dac")
check(f"a mechanism: {dac['parameters'][0]}", dac["parameters"][0]["key"] == "mech.active")
check("a mechanism's structures cost nothing", dac["causes_j"]["mechanisms"] > 0 and dac["causes_j"]["structures"] == 0)
check("a mechanism's structures are not its own", abs(dac["causes_j"]["mechanisms"] - [c for c in dac["components"] if c["component"] == "MECH"][0]["difference_j"]) < 1e-15)
there, back = load("base-dac-symmetric"), load("dac-base-symmetric")
for p in parts:
    check(f"{p} is not antisymmetric", abs(total(there)[p] + total(back)[p]) <= 1e-9 * total(there)["base_j"])
CHECK
# A doubled latency costs time before all else, and is listed so.
run late --set units.int_latency=8
"$warpwatt" explain "$work/base" "$work/late" --out "$work/late.html" >"$work/late.txt" || fail "a doubled latency"
grep '^  other' "$work/late.txt" | head -1 | grep -q '^  other time' || fail "a doubled latency: $(cat "$work/late.txt")"
sed -n 2p "$work/late-files/causes.csv" | grep -q '^other time,' || fail "a doubled latency on the page: $(cat "$work/late-files/causes.csv")"
# The largest number of a table has two to four digits before the point: its unit is chosen so.
python3 - "$work/late.txt" <<'CHECK' || fail "units: $(cat "$work/late.txt")"
import re, sys
largest = {}
for line in open(sys.argv[1]):
    head = re.match(r"(by component|what differs most) \[(\w+)\]", line)
    if head: table = head.group(1); largest[table] = 0
    elif largest: largest[table] = max([largest[table], *(abs(float(n)) for n in re.findall(r"-?\b\d+\.\d{3}\b", line))])
sys.exit(len(largest) != 2 or not all(10 <= n < 10000 for n in largest.values()))
CHECK
# A page with its files
"$warpwatt" explain "$work/base" "$work/dac" --out "$work/page/why.html" --quiet 2>"$work/why" || fail "page: $(cat "$work/why")"
for file in why.html why-files/components.svg why-files/components.csv why-files/causes.svg why-files/causes.csv why-files/events.csv; do
    [ -s "$work/page/$file" ] || fail "no $file"
done
# What was changed, the events that differ most and, of runs with --profile, the lines stand on it without a click; steps have digits.
grep -q '^mech.active,,none,dac,' "$work/page/why-files/runs.csv" || fail "the page does not say in what the machines differ"
[ "$(wc -l <"$work/page/why-files/most.csv")" = 13 ] || fail "twelve events that differ most: $(cat "$work/page/why-files/most.csv")"
grep -q '>+0.00<' "$work/page/why-files/components.svg" && fail "a step of no size"
# What cannot be explained
explain() { "$warpwatt" explain "$@" --quiet; }
"$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out "$work/another"
"$warpwatt" run --gpu gtx480 --workload bfs:small --no-timing --quiet --out "$work/functional"
refuses 'different programs: .*bfs.*vectoradd' explain "$work/base" "$work/another"
"$warpwatt" explain "$work/base" "$work/another" --anyway | grep -q '^the programs differ: ' || fail "--anyway does not say so"
refuses "no launch of a kernel 'bsf'" explain "$work/base" "$work/dac" --kernel bsf
refuses 'functional' explain "$work/base" "$work/functional"
refuses 'needs two results' explain "$work/base"
refuses 'ends in .html' explain "$work/base" "$work/dac" --out "$work/why.pdf"
refuses 'would overwrite\|is a file of the result' explain "$work/base" "$work/dac" --out "$work/base/power.csv"
# Rows that do not add up to the total beside them
cp -r "$work/base" "$work/damaged"
sed '2d' "$work/base/energy_events.csv" >"$work/damaged/energy_events.csv"
refuses 'come to\|changed' explain "$work/base" "$work/damaged"

# Lines: those of a run and itself are the same; those of two sum to the runs' energies, and what has a partner stands beside it.
"$warpwatt" run --gpu gtx480 --workload bfs:small --quiet --profile --out "$work/lines"
"$warpwatt" run --gpu gtx480 --workload bfs:small --quiet --profile --set mem.rop_latency=480 --out "$work/lines-slow"
"$warpwatt" explain "$work/lines" "$work/lines" --top 0 --json >"$work/same-lines.json"
"$warpwatt" explain "$work/lines" "$work/lines-slow" --top 0 --json >"$work/lines.json"
"$warpwatt" explain "$work/lines" "$work/lines-slow" --out "$work/lines.csv" --quiet
"$warpwatt" explain "$work/lines" "$work/lines-slow" --out "$work/page.html" >"$work/plain"
grep -q 'lines that differ most' "$work/plain" && grep -q '(static)' "$work/plain" || fail "lines are not printed"
grep -q 'ld.global' "$work/lines-lines.csv" && grep -q 'ld.global' "$work/page-files/lines.csv" || fail "lines are not in the tables"
grep -q '(static)' "$work/page-files/most-lines.csv" || fail "lines that differ most are not on the page"
python3 - "$work" <<'CHECK'
import json, sys
work = sys.argv[1]
def check(what, ok):
    if not ok: sys.exit(what)
same = json.load(open(f"{work}/same-lines.json"))
check("lines of a run differ from themselves", same["lines"] and all(l["difference_j"] == 0 and l["in_base"] and l["in_other"] for l in same["lines"]))
e = json.load(open(f"{work}/lines.json"))
total = e["components"][-1]
for side in ("base_j", "other_j"):
    check(f"lines do not sum: {side}", abs(e["lines_total"][side] - total[side]) <= 1e-9 * total[side])
    check(f"lines: {side}", abs(sum(l[side] for l in e["lines"]) - total[side]) <= 1e-9 * total[side])
check("lines without a partner", all(l["in_base"] and l["in_other"] for l in e["lines"] if l["place"]))
check("most difference first", e["lines"][0]["text"] in ("(static)", "(standby)", "(active SMs)"))
CHECK
