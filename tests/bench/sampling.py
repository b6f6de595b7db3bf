#!/usr/bin/env python3
"""What does sampling gain, and does what it states hold? Each item runs in full and sampled; a row
for each launch that was sampled: cycles and energy beside what is stated of them, in per cent, and
processor time of the whole process in user mode, which is that of all of the item's launches.
Usage: sampling.py [-s WAY:ERROR%] [-o "OPTIONS OF RUN"] PROGRAM ITEM...
An item is a workload (name:size), or a kernel as FILE.ptx,LAUNCH.xml."""

import argparse
import csv
import os
import subprocess
import tempfile


def run(program, options, item, out):
    what = item.split(",")
    source = ["--workload", item] if len(what) == 1 else ["--ptx", what[0], "--launch", what[1]]
    command = [program, "run", *options, *source, "--quiet", "--force", "--out", out]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"sampling.py: {' '.join(command)} failed")
    return used.ru_utime


def column(row, name):
    return next(float(value or 0) for key, value in row.items() if key.startswith(name))


def launches(out):
    energy = {}
    with open(os.path.join(out, "power.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["component"] == "TOTAL":
                kinds = ("event_energy", "background_energy", "leakage_energy")
                key = row["workload"], row["kernel"], row["launch"]
                energy[key] = sum(column(row, kind) for kind in kinds)
    with open(os.path.join(out, "kernels.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row, energy[row["workload"], row["kernel"], row["launch"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-s", default="ctas:5%", metavar="WAY")
    parser.add_argument("-o", default="--gpu gtx480", metavar="OPTIONS")
    parser.add_argument("program")
    parser.add_argument("item", nargs="+")
    args = parser.parse_args()
    rows, within, within_j, real = 0, 0, 0, []
    print(f"{'item':24} {'kernel':24} {'million':>8} {'extrapolated':>12} {'faster':>6}"
          f" {'cycles: stated':>14} {'real':>6} {'energy: stated':>14} {'real':>6}")
    with tempfile.TemporaryDirectory() as work:
        full, part = os.path.join(work, "full"), os.path.join(work, "part")
        for item in args.item:
            faster = run(args.program, args.o.split(), item, full)
            faster /= run(args.program, [*args.o.split(), "--sample", args.s], item, part)
            for (a, joules), (b, estimate) in zip(launches(full), launches(part)):
                if column(b, "extrapolated") == 0:
                    continue
                cycles = 100 * (column(b, "cycles [") / column(a, "cycles [") - 1)
                energy = 100 * (estimate / joules - 1)
                stated, stated_j = 100 * column(b, "cycles_error"), 100 * column(b, "energy_error")
                rows, real = rows + 1, [*real, abs(cycles)]
                within += abs(cycles) <= stated
                within_j += abs(energy) <= stated_j
                print(f"{os.path.basename(item):24} {b['kernel']:24}"
                      f" {column(b, 'warp_instructions') / 1e6:8.2f}"
                      f" {100 * column(b, 'extrapolated'):11.0f}% {faster:6.1f} {stated:14.1f}"
                      f" {cycles:+6.1f} {stated_j:14.1f} {energy:+6.1f}", flush=True)
    if rows > 0:
        real.sort()
        print(f"{rows} launches: cycles of {within} within what is stated, energy of {within_j};"
              f" real, cycles: mean {sum(real) / rows:.2f}, median {real[rows // 2]:.2f},"
              f" largest {real[-1]:.2f} %")


if __name__ == "__main__":
    main()
