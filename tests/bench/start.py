#!/usr/bin/env python3
"""What does a run cost before it simulates anything? A kernel of one `ret` in one warp: processor
time of the whole process, user and system (least of many runs: others use the machine too), page
faults, peak memory. Usage: start.py [-n RUNS] [-g GPU,...] PROGRAM..."""

import argparse
import os
import subprocess
import tempfile

PTX = """.version 6.0
.target sm_30
.address_size 64
.visible .entry k() { ret; }
"""
LAUNCH = '<launches><launch kernel="k"><grid x="1"/><block x="32"/></launch></launches>\n'


def run_once(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"start.py: {' '.join(command)} failed")
    return 1e3 * (used.ru_utime + used.ru_stime), used.ru_minflt, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=21, metavar="RUNS")
    parser.add_argument("-g", default="gtx480,qv100,h200", metavar="GPU,...")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        ptx, launch = os.path.join(work, "k.ptx"), os.path.join(work, "launch.xml")
        for path, text in ((ptx, PTX), (launch, LAUNCH)):
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        print(f"{'gpu':12} {'ms':>6} {'faults':>7} {'MB':>5}  program")
        for gpu in args.g.split(","):
            runs = {program: [] for program in args.program}
            for _ in range(args.n):  # alternating, so that a busy minute hits all alike
                for program in args.program:
                    options = ["--gpu", gpu, "--ptx", ptx, "--launch", launch, "--quiet"]
                    runs[program].append(run_once([program, "run", *options]))
            for program in args.program:
                ms, faults, megabytes = min(runs[program])
                print(f"{gpu:12} {ms:6.1f} {faults:7} {megabytes:5.0f}  {program}")


if __name__ == "__main__":
    main()
