#!/usr/bin/env python3
"""Plants drawn faults one after the other and says which tests notice: judge.py SOURCE WORK [--count N] [--seed N] [--least PERCENT]

WORK gets a copy of the source, a build of it with assertions, and judged.jsonl, a line per mutant; those that are there already are
not judged again. Each mutant is shown to the tests of its own folder, the shortest first; those that survive are shown to all tests
that are quick, but for goldens, which tell that a byte changed and not what is wrong, and for what looks at the source. A survivor
that survivors.txt explains is a survivor all the same. Exit status 1 when less than --least percent are killed; 77 without clang-query.
"""
import argparse
import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import draw

# Which tests a folder has of its own, and those that ask about it most.
OWN = (("perf/ptx/", "(unit/ptx|ptx)/"), ("perf/exec/", "unit/exec/"), ("perf/mem/", "unit/mem/"), ("perf/sm/", "unit/(sm|mech)/"), ("perf/", "unit/perf/"),
       ("mech/lib/", "mech/.*/test_"), ("mech/", "mech/(.*/)?{room}(/|$)"), ("power/", "unit/power/"), ("tech/", "unit/tech/"), ("analysis/", "unit/analysis/"), ("run/", "unit/run/"),
       ("runtime/", "(unit/runtime|runtime)/"))
NOT_ASKED = re.compile(r"^(golden|lint|docs|mutate|bench|browser|slurm)/|^embed/(package|wheel)")
# As ctest says it; one that dies: "Subprocess aborted***Exception".
FAILED = re.compile(r"Test +#\d+: (\S+) \.+[\w ]*\*\*\*(\w+)")
KILLED, HANGS, SURVIVED, NOT_COMPILED = "killed", "hangs", "SURVIVED", "does not compile"


def run(command, where, limit, log):
    """(Exit status, None past the limit; what it said). What it started ends with it, and with us."""
    log.write(f"+ {' '.join(command)}\n")
    log.flush()
    with subprocess.Popen(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", start_new_session=True) as child:
        try:
            said = child.communicate(timeout=limit)[0]
            log.write(said)
            return child.returncode, said
        except BaseException as why:
            os.killpg(child.pid, 9)
            child.wait()
            if not isinstance(why, subprocess.TimeoutExpired):
                raise
            return None, ""


def copy_tree(source, tree):
    """The files that git knows, as they lie there. What is the same already stays, newer than what was built from a mutant of it."""
    said = subprocess.run(["git", "ls-files", "-z"], cwd=source, capture_output=True, check=True).stdout.decode()
    names = {name for name in said.split("\0") if os.path.isfile(os.path.join(source, name))}
    for where, _, files in os.walk(tree):
        for file in files:
            if os.path.relpath(os.path.join(where, file), tree) not in names:
                os.remove(os.path.join(where, file))
    for name in sorted(names):
        old, new = os.path.join(source, name), os.path.join(tree, name)
        if not os.path.isfile(new) or not filecmp.cmp(old, new, shallow=False):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copy(old, new)


class Bench:
    """A build of the copy, and its tests with what each is built from and how long it took."""

    def __init__(self, work):
        self.tree, self.build = os.path.join(work, "source"), os.path.join(work, "build")
        self.log = open(os.path.join(work, "log"), "a", encoding="utf-8")
        self.tests = {}

    def prepare(self):
        options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWW_ASSERTS=ON"]
        if shutil.which("ld.lld"):  # most of the time goes into links
            options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
        if run(["cmake", "-S", self.tree, "-B", self.build, *options], "/", None, self.log)[0] != 0:
            sys.exit("the copy cannot be configured")
        if run(["cmake", "--build", self.build], "/", None, self.log)[0] != 0:
            sys.exit("it does not build without any mutant")
        said = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, capture_output=True, check=True, text=True).stdout
        for test in json.loads(said)["tests"]:
            labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
            if "quick" in labels and not NOT_ASKED.search(test["name"]):
                self.tests[test["name"]] = {"command": test["command"], "seconds": None}

    def measure(self, kept):
        """How long each takes, once; those that fail without any mutant say nothing and are left out."""
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                self.tests = {n: t for n, t in json.load(file).items() if n in self.tests}
            return
        out = subprocess.run(["ctest", "-R", any_of(self.tests), "--timeout", "300"], cwd=self.build, capture_output=True, text=True, check=False).stdout
        for name, verdict, seconds in re.findall(r"Test +#\d+: (\S+) \.+ *\**(\w+).*? +([\d.]+) sec", out):
            if name in self.tests and verdict == "Passed":
                self.tests[name]["seconds"] = float(seconds)
        left_out = [n for n, t in self.tests.items() if t["seconds"] is None]
        self.tests = {n: t for n, t in self.tests.items() if t["seconds"] is not None}
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(self.tests, file)
        if left_out:
            print(f"not asked, they fail or are skipped without any mutant: {' '.join(left_out)}", flush=True)

    def targets(self, names):
        """What the commands of tests name in the build folder; the libraries of programs are with the product."""
        found = set()
        for name in names:
            files = [os.path.relpath(w, self.build) for w in self.tests[name]["command"] if w.startswith(self.build + os.sep)]
            found.update(f for f in files if os.path.isfile(os.path.join(self.build, f)) and not f.endswith(".txt"))
            if any(f.startswith("cli/") for f in files):
                found.add("product")
        return sorted(found)

    def ask(self, names, file):
        """(verdict, test) of these tests: first those named after the file, the shortest first; what those behind the one that notices
        are built from is not linked."""
        words = set(re.split(r"[_/.]", file)) - {"c", *draw.FOLDERS}
        order = sorted(names, key=lambda n: (not words & set(re.split(r"[_/]", n)), self.tests[n]["seconds"]))
        for few in (order[i:i + 6] for i in range(0, len(order), 6)):
            if run(["ninja", "-C", self.build, *self.targets(few)], "/", 1800, self.log)[0] != 0:
                return NOT_COMPILED, ""
            limit = max(30, 10 * max(self.tests[n]["seconds"] for n in few))
            code, said = run(["ctest", "-R", any_of(few), "--stop-on-failure", "--timeout", str(int(limit))], self.build, None, self.log)
            bad = FAILED.search(said)
            if bad and code != 0:
                return (HANGS if bad[2] == "Timeout" else KILLED), bad[1]
        return SURVIVED, ""


def any_of(names):
    return "^(" + "|".join(re.escape(n) for n in names) + ")$"


def own_tests(bench, file):
    pattern = next(p for begin, p in OWN if file.startswith(begin)).format(room=file.split("/")[1])
    return [n for n in bench.tests if re.match(pattern, n)]


def judge_one(bench, m, names):
    """Verdict of some tests, and the test that noticed."""
    path = os.path.join(bench.tree, m.file)
    with open(path, encoding="latin-1", newline="") as file:
        kept = file.read()
    if kept[m.begin:m.end] != m.old:
        sys.exit(f"{m.file}: the copy is not what was drawn from")
    try:
        write(path, kept[:m.begin] + m.new + kept[m.end:])
        return bench.ask(names, m.file)
    finally:
        write(path, kept)


def write(path, text):
    """Newer than anything built from what was there before."""
    with open(path, "w", encoding="latin-1", newline="") as file:
        file.write(text)
    later = time.time() + 1
    os.utime(path, (later, later))


def known(source):
    """Survivors that are explained: (file, function, old, new)."""
    found = {}
    with open(os.path.join(source, "tests/mutate/survivors.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                file, function, old, new, why = (w.strip() for w in line.split(" | ", 4))
                found[file, function, old, new] = why
    return found


def one_line(text):
    return " ".join(text.split())


def judge(options):
    source, work = os.path.realpath(options.source), os.path.realpath(options.work)
    os.makedirs(work, exist_ok=True)
    bench = Bench(work)
    copy_tree(source, bench.tree)
    bench.prepare()
    bench.measure(os.path.join(work, "tests.json"))
    record = Record(os.path.join(work, "judged.jsonl"))
    explained = known(source)
    mutants = draw.draw(bench.tree, bench.build, options.count, options.seed)
    for m in mutants:
        own = own_tests(bench, m.file)
        if record.of(m) is None:
            record.put(m, *(judge_one(bench, m, own) if own else (SURVIVED, "")), "own tests")
        report(m, record.of(m), "")
    for m in mutants:
        row = record.of(m)
        if row["verdict"] == SURVIVED and row["asked"] != "all" and not options.own:
            own = own_tests(bench, m.file)
            record.put(m, *judge_one(bench, m, [n for n in bench.tests if n not in own]), "all")
        if row["verdict"] == SURVIVED:
            report(m, record.of(m), explained.get((m.file, m.function, one_line(m.old), one_line(m.new)), ""))
    return [record.of(m) for m in mutants]


class Record:
    """What has been judged: a line per verdict, the last of a mutant's holds."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                self.rows = {self.key(r): r for r in map(json.loads, lines)}

    @staticmethod
    def key(row):
        return row["file"], row["function"], row["begin"], row["old"], row["new"]

    def of(self, m):
        return self.rows.get(self.key(m._asdict()))

    def put(self, m, verdict, test, asked):
        row = {**m._asdict(), "verdict": verdict, "test": test, "asked": asked}
        self.rows[self.key(row)] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def report(m, row, why):
    print(f"{m.file}:{m.line}: {m.kind}: {one_line(m.old)} -> {one_line(m.new)}: {row['verdict']} {row['test'] or why}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", action="store_true", help="ask the folders' own tests alone")
    parser.add_argument("--least", type=float, default=90)
    options = parser.parse_args()
    if not shutil.which("clang-query"):
        print("no clang-query (Debian: clang-tools)")
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results = [r for r in judge(options) if r["verdict"] != NOT_COMPILED]
    killed = sum(r["verdict"] != SURVIVED for r in results)
    print(f"{len(results)} mutants, {killed} killed, {len(results) - killed} survived")
    sys.exit(100 * killed < options.least * len(results))


if __name__ == "__main__":
    main()
