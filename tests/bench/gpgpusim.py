#!/usr/bin/env python3
"""How many times as fast as GPGPU-Sim 4.0.1, whose power model is off while ours is on? Each item
runs on both in turn, on the machine gtx480-gpgpusim, one thread, with the same PTX, inputs and
register counts (those of ptxas); a row has the medians of processor times in user mode of whole
processes. "Without start": less those of an empty kernel, at most half of the time.
Usage: gpgpusim.py [-n RUNS] PROGRAM DRIVER GPGPUSIM ITEM...
DRIVER is bench_gpgpusim of the build, GPGPUSIM a folder in which GPGPU-Sim was built for CUDA 11. An
item is a workload (name:size), or a kernel as FILE.ptx,LAUNCH.xml."""

import argparse
import csv
import glob
import os
import re
import shutil
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CYCLES = os.path.join(ROOT, "tests", "validation", "cycles")
EMPTY = f"{CYCLES}/_null.ptx,{CYCLES}/_null.xml"
# What GPGPU-Sim asks of a CUDA toolkit: which PTX the program holds, its registers, the version.
TOOLS = {
    "cuobjdump": '[ "$1" != -lptx ] || echo "PTX file    1: kernel.1.sm_75.ptx"',
    "ptxas": "cat kernel.info >&2",
    "ldd": 'echo "libcudart.so.11.0 => here"',
}
# What ptxas prints by now and its parser does not know.
UNKNOWN = r"used \d+ barriers, |, \d+ bytes cumulative stack size|ptxas info +: Compile time.*\n"


def timed(command, folder, environment=None):
    with open(os.path.join(folder, "output"), "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
    return used.ru_utime if status == 0 else None


def registers(ptx, folder):
    command = ["ptxas", "-arch=sm_75", "-v", ptx, "-o", os.devnull]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    path = os.path.join(folder, "kernel.info")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(UNKNOWN, "", printed))
    return path


class Theirs:
    def __init__(self, driver, root, folder):
        self.cudart = glob.glob(f"{root}/lib/*/cuda-*/release/libcudart.so")[0]
        self.driver, self.folder = driver, folder
        for path in glob.glob(f"{root}/configs/tested-cfgs/SM2_GTX480/*"):
            shutil.copy(path, folder)
        tools = os.path.join(folder, "bin")
        os.mkdir(tools)
        for name, text in TOOLS.items():
            path = os.path.join(tools, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
        self.environment = dict(
            os.environ,
            CUDA_INSTALL_PATH=folder,
            CUOBJDUMP_SIM_FILE="kernel.1.sm_75.ptx",
            PATH=f"{tools}:{os.environ['PATH']}",
        )

    def run(self, item):
        command = [self.driver, self.cudart, *item.split(",")]
        return timed(command, self.folder, self.environment)

    def counts(self):
        with open(os.path.join(self.folder, "output"), encoding="utf-8", errors="replace") as file:
            text = file.read()
        last = lambda name: int(re.findall(rf"^{name} = (\d+)", text, re.M)[-1])
        return last("gpgpu_n_tot_w_icount"), last("gpu_tot_sim_cycle")


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, item, info):
        what = item.split(",")
        source = ["--workload", item] if len(what) == 1 else ["--ptx", what[0], "--launch", what[1]]
        command = [self.program, "run", "--gpu", "gtx480-gpgpusim", "--isa", "ptx", *source]
        return timed(
            [*command, "--registers", info, "--quiet", "--force", "--out", "results"], self.folder
        )

    def counts(self):
        path = os.path.join(self.folder, "results", "kernels.csv")
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        total = lambda name: sum(int(row[name]) for row in rows)
        return total("warp_instructions [1]"), total("cycles [cycle]")


def ptx_of(item):
    name = item.split(":")[0]
    return item.split(",")[0] if "," in item else f"{ROOT}/workloads/{name}/{name}.ptx"


def measure(ours, theirs, item, runs):
    info = registers(ptx_of(item), theirs.folder)
    seconds = []
    for _ in range(runs):
        seconds.append((theirs.run(item), ours.run(item, info)))
        if None in seconds[-1]:
            return None
    return [statistics.median_low(column) for column in zip(*seconds)]


def name_of(item):
    return os.path.splitext(os.path.basename(item.split(",")[-1]))[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2, metavar="RUNS")
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("driver", type=os.path.abspath)
    parser.add_argument("gpgpusim", type=os.path.abspath)
    parser.add_argument("item", nargs="+")
    args = parser.parse_args()
    ratios, bare = [], []
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "theirs"))
        ours, theirs = (
            Ours(args.program, work),
            Theirs(args.driver, args.gpgpusim, os.path.join(work, "theirs")),
        )
        start = measure(ours, theirs, EMPTY, 5)
        print(f"start: {start[0]:.2f} and {start[1]:.3f} s")
        print(
            f"{'item':24} {'warp inst':>9} {'cycles':>9} {'ours':>6}"
            f" {'s':>7} {'ours':>6} {'times':>5} {'without start':>13}"
        )
        for item in args.item:
            item = ",".join(map(os.path.abspath, item.split(","))) if "," in item else item
            seconds = measure(ours, theirs, item, args.n)
            if seconds is None:
                print(f"{name_of(item):24} fails", flush=True)
                continue
            a, b = seconds
            (warp, cycles), (warp_ours, cycles_ours) = theirs.counts(), ours.counts()
            ratios.append(a / b)
            bare.append((a - start[0]) / max(b - start[1], b / 2))
            print(
                f"{name_of(item):24} {warp:9} {cycles:9} {100 * (cycles_ours / cycles - 1):+5.1f}%"
                f" {a:7.2f} {b:6.3f} {ratios[-1]:5.0f} {bare[-1]:13.0f}"
                f"{'' if warp == warp_ours else f'   {warp_ours} warp instructions'}",
                flush=True,
            )
    print(
        f"times as fast: median {statistics.median(ratios):.0f}, least {min(ratios):.0f};"
        f" without start {statistics.median(bare):.0f}, {min(bare):.0f}"
    )


if __name__ == "__main__":
    main()
