#!/usr/bin/env python3
"""Says which tests notice faults: judge.py SOURCE BUILD WORK [--draw COUNT:SEED]... [--listed] [--own] [--seconds N] [--least PERCENT]

They are drawn (draw.py), or those of mutants.txt, each of which the tests named beside it must notice; both when neither is asked.
BUILD is configured from SOURCE. WORK gets a copy of the source that holds all faults (plant.py), a build of it with assertions, and
judged.jsonl, a line per verdict; what is known to be killed is not judged again. A fault is shown to those tests that come by it: of
its own folder first, then all that are quick, the shortest first, but for goldens, which tell that a byte changed and not what is
wrong, and what looks at the source. Of either kind as many are asked as take --seconds of processor time together, and one at least; a fault
that they miss survives, with the number of those asked. A test that fails is asked once more without the fault. survivors.txt says of a survivor
why no test can notice it ("equivalent: ...") or what is missing. Exit status 1 when less than --least percent of a drawing's others
are killed, or a listed one is not; 77 without clang-query.
"""
import argparse
import collections
import filecmp
import glob
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

import draw
import listed
import plant

# Which tests a folder has of its own, and those that ask about it most.
OWN = (("perf/ptx/analysis/", "(unit/ptx|ptx|mech/(cap|dac|darsie|redundancy|scalar))/"), ("perf/ptx/", "(unit/ptx|ptx)/"),
       ("perf/exec/", "(unit/exec|ptx)/"), ("perf/mem/", "unit/mem/"), ("perf/sm/async/", "(unit/sm|ptx)/"), ("perf/sm/", "unit/(sm|mech|perf)/"),
       ("perf/", "unit/perf/"), ("mech/lib/", "mech/.*/test_"), ("mech/", "mech/(.*/)?{room}(/|$)"), ("power/", "unit/power/"),
       ("tech/", "unit/tech/"), ("analysis/", "unit/analysis/"), ("run/", "unit/run/"), ("runtime/", "(unit/runtime|runtime)/"))
NOT_ASKED = re.compile(r"^(golden|lint|docs|mutate|bench|browser|slurm)/|^embed/(package|wheel)")
BY_TEST, BY_ASSERTION, HANGS = "killed", "killed by an assertion", "hangs"
SURVIVED, NOT_COMPILED = "SURVIVED", "does not compile"
KILLED = (BY_TEST, BY_ASSERTION, HANGS)


def bounded(seconds):
    """What a fault may take: a loop without an end ends, and its process is the first to go where memory runs out."""
    for what, limit in ((resource.RLIMIT_CPU, int(seconds) + 1), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (limit, limit))
    if os.path.exists("/proc/self/oom_score_adj"):
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")


def processor_s():
    """Of all that has been run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, where, limit=None, more=None, before=None):
    """(Exit status, None past the limit; what it said). What it started ends with it, and with us."""
    with subprocess.Popen(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", start_new_session=True, env={**os.environ, **(more or {})}, preexec_fn=before) as child:
        try:
            said = child.communicate(timeout=limit)[0]
            return child.returncode, said
        except BaseException as why:
            os.killpg(child.pid, 9)
            child.wait()
            if not isinstance(why, subprocess.TimeoutExpired):
                raise
            return None, ""


def write_if_other(path, text):
    """Unless it says that already: what was built of it stays."""
    if os.path.isfile(path):
        with open(path, encoding="latin-1", newline="") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="latin-1", newline="") as file:
        file.write(text)


def copy_tree(source, tree, planted):
    """The files that git knows, as they lie there; those of `planted`, texts by name, with these instead."""
    said = subprocess.run(["git", "ls-files", "-z"], cwd=source, capture_output=True, check=True).stdout.decode()
    names = {name for name in said.split("\0") if os.path.isfile(os.path.join(source, name))}
    for where, folders, files in os.walk(tree):
        folders[:] = [f for f in folders if where != tree or f != "build"]
        for file in files:
            name = os.path.relpath(os.path.join(where, file), tree)
            if name not in names and name not in planted:
                os.remove(os.path.join(where, file))
    for name in sorted(names - set(planted)):
        old, new = os.path.join(source, name), os.path.join(tree, name)
        if not os.path.isfile(new) or not filecmp.cmp(old, new, shallow=False):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copy(old, new)
    for name, text in planted.items():
        write_if_other(os.path.join(tree, name), text)


def with_mutants(source, mutants):
    """Texts by name of the files that hold them, a dictionary by number."""
    by_file = collections.defaultdict(list)
    for number, m in mutants.items():
        by_file[m.file].append((number, m))
    found = {}
    for name, inside in by_file.items():
        with open(os.path.join(source, name), encoding="latin-1", newline="") as file:
            text = file.read()
        found[plant.header_of(name)] = plant.planted(text, inside)
        # What makes tables of the text itself finds it there.
        found[name] = f'#include "{os.path.basename(plant.header_of(name))}"\n#if 0\n{text}#endif\n'
    return found


class Bench:
    """The copy with all mutants, built, and its tests with what each takes and comes by."""

    def __init__(self, source, work):
        self.source, self.work, self.tree = source, work, os.path.join(work, "source")
        self.build = os.path.join(self.tree, "build", "ci")
        self.tests, self.known, self.left_out = {}, {}, set()
        self.patience = 10  # least seconds before a test is said to hang
        os.makedirs(work, exist_ok=True)
        self.kept = os.path.join(work, "tests.json")
        if os.path.exists(self.kept):
            with open(self.kept, encoding="utf-8") as file:
                self.known = json.load(file)

    def prepare(self, mutants):
        """Configures the copy that holds these mutants."""
        copy_tree(self.source, self.tree, with_mutants(self.source, mutants))
        options = ["--preset", "ci", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        if shutil.which("ld.lld"):  # most of the time goes into links
            options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
        self.must(["cmake", *options], self.tree)
        self.find_tests()

    def make(self, names, mutants):
        """Builds these tests; the numbers of the mutants that do not compile, which are taken out."""
        targets = self.targets(names)
        status, said = run(["ninja", "-C", self.build, "-k", "0", *targets], "/") if targets else (0, "")
        if status == 0:
            return set()
        failed = self.files_of(re.findall(r"^FAILED: (?:\[code=\d+\] )?(.*)$", said, re.MULTILINE))
        bad = {n for n, m in mutants.items() if m.file in failed and not self.compiles(n, m)}
        self.prepare({n: m for n, m in mutants.items() if n not in bad})
        self.must(["ninja", "-C", self.build, *targets], "/")
        return bad

    def commands(self):
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            return json.load(file)

    def files_of(self, failed):
        """Files that objects of these lines are made of."""
        objects = {word for line in failed for word in line.split()}
        return {os.path.relpath(c["file"], self.tree) for c in self.commands() if re.search(r" -o (\S+)", c["command"])[1] in objects}

    def targets(self, names):
        """What the commands of tests name in the build folder; the libraries of programs are with the product."""
        known = {line.rsplit(":", 1)[0] for line in run(["ninja", "-C", self.build, "-t", "targets", "all"], "/")[1].splitlines()}
        words = {os.path.relpath(w, self.build) for n in names for w in self.tests[n]["command"] if w.startswith(self.build + os.sep)}
        return sorted(words & known | ({"product"} & known if any(w.startswith("cli/") for w in words) else set()))

    @staticmethod
    def must(command, where):
        status, said = run(command, where)
        if status != 0:
            sys.exit(f"{' '.join(command)[:200]}: {said[-2000:]}")

    def compiles(self, number, m):
        """Whether its file does with this mutant alone."""
        for name, text in with_mutants(self.source, {number: m}).items():
            write_if_other(os.path.join(self.tree, name), text)
        mine = [c for c in self.commands() if c["file"] == os.path.join(self.tree, m.file)]
        return all(run(["sh", "-c", c["command"] + " -fsyntax-only"], c["directory"])[0] == 0 for c in mine)

    def find_tests(self):
        """Those that are quick. What ctest says of one that is not built lacks its command, which CMake's files have."""
        commands = {}
        for path in glob.glob(os.path.join(self.build, "**", "CTestTestfile.cmake"), recursive=True):
            with open(path, encoding="utf-8") as file:
                for name, words in re.findall(r"^add_test\(\[=\[(.+?)\]=\] (.*)\)$", file.read(), re.MULTILINE):
                    commands[name] = shlex.split(words)
        said = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, capture_output=True, check=True, text=True).stdout
        for test in json.loads(said)["tests"]:
            properties = {p["name"]: p["value"] for p in test["properties"]}
            if "quick" in properties.get("LABELS", []) and test["name"] in commands and not NOT_ASKED.search(test["name"]):
                self.tests[test["name"]] = {"command": commands[test["name"]], **properties}

    def ask(self, name, limit, environment):
        """(Whether the test passes, None for one that is skipped; whether it came to an end; what it said). limit: seconds of processor
        time; what waits for nothing has longer, as others may run."""
        test = self.tests[name]
        more = dict(e.split("=", 1) for e in test.get("ENVIRONMENT", []))
        began = processor_s()
        status, said = run(test["command"], test["WORKING_DIRECTORY"], 60 + 8 * limit, {**more, **environment}, lambda: bounded(limit))
        if status is None or status != 0 and processor_s() - began > limit:
            return False, False, said
        if "SKIP_RETURN_CODE" in test and status == test["SKIP_RETURN_CODE"]:
            return None, True, said
        if "PASS_REGULAR_EXPRESSION" in test:
            return any(re.search(p, said) for p in test["PASS_REGULAR_EXPRESSION"]), True, said
        return status == 0, True, said

    def made_of(self, name):
        """When what a test's command names was built last."""
        return [os.stat(w).st_mtime_ns for w in self.tests[name]["command"] if os.path.isfile(w)]

    def known_of(self, name, seconds):
        """{"seconds", "met", "passes"} of a test as it is built, None when it has not been measured with so much time."""
        row = self.known.get(name)
        return row if row and row["made"] == self.made_of(name) and (row["passes"] or row["limit"] >= seconds) else None

    def measure(self, name, seconds):
        """The same of a test without any mutant acting."""
        if self.known_of(name, seconds) is None:
            met = os.path.join(self.work, "met")
            open(met, "w", encoding="utf-8").close()
            began = processor_s()
            passes = self.ask(name, seconds, {"WW_MUTANTS_MET": met})[0]
            with open(met, encoding="utf-8") as file:
                numbers = sorted(set(map(int, file.read().split())))
            self.known[name] = {"made": self.made_of(name), "passes": bool(passes), "limit": seconds, "seconds": processor_s() - began, "met": numbers}
            with open(self.kept, "w", encoding="utf-8") as file:
                json.dump(self.known, file)
        return self.known[name]

    def cost(self, name, seconds, words):
        """What a test takes; a guess of one that has not been measured: those are early that share words with the file's name."""
        row = self.known_of(name, seconds)
        return row["seconds"] if row else 8 / 4 ** len(words & words_of(name))

    def judge(self, number, names, file, seconds):
        """(Verdict, the test that noticed, how many were asked, how many come by, of those measured)."""
        left, asked, came_by, spent, words = set(names) - self.left_out, 0, 0, 0.0, words_of(file)
        while left:
            name = min(sorted(left), key=lambda n: self.cost(n, seconds, words))
            left.remove(name)
            row = self.measure(name, seconds)
            if not row["passes"] or number not in row["met"]:
                continue
            came_by += 1
            spent += row["seconds"]
            if asked > 0 and spent > seconds:
                continue
            asked += 1
            limit = max(self.patience, 5 * row["seconds"])
            passes, ended, said = self.ask(name, limit, {"WW_MUTANT": str(number)})
            if passes is False:
                if self.ask(name, limit, {})[0]:
                    return (HANGS if not ended else BY_ASSERTION if "does not hold:" in said else BY_TEST), name, asked, came_by
                self.left_out.add(name)
                print(f"{name} is not asked further: it fails without any mutant", flush=True)
        return SURVIVED, "", asked, came_by


def words_of(name):
    return set(re.findall("[a-z0-9]+", name)) - {"c", "test", "unit"}


def own_tests(bench, file):
    pattern = next(p for begin, p in OWN if file.startswith(begin)).format(room=file.split("/")[1])
    return [n for n in bench.tests if re.match(pattern, n)]


def known(source):
    """Survivors that are explained: why, by (file, function, old, new)."""
    found = {}
    with open(os.path.join(source, "tests/mutate/survivors.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                file, function, old, new, why = (w.strip() for w in line.split(" | ", 4))
                found[file, function, old, new] = why
    return found


def one_line(text):
    return " ".join(text.split())


class Record:
    """What has been judged: a line per verdict, the last of a mutant's holds."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                self.rows = {self.key(r): r for r in map(json.loads, lines)}

    @staticmethod
    def key(row):
        return row["file"], row["function"], row["kind"], row["begin"] - row["body"][0], row["old"], row["new"]

    def of(self, m):
        return self.rows.get(self.key(m._asdict()))

    def put(self, m, verdict, test, asked, came_by):
        row = {**m._asdict(), "verdict": verdict, "test": test, "asked": asked, "came by": came_by}
        self.rows[self.key(row)] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def judge(bench, mutants, named, record, own_alone, seconds):
    """Asks the tests of each mutant's own folder, then the others, or those named for it alone; what survived before is judged again."""
    bench.prepare(mutants)
    own = {number: named.get(number) or own_tests(bench, m.file) for number, m in mutants.items()}
    bad = set()
    for of_folder in (True,) if own_alone else (True, False):
        asked = {n: own[n] if of_folder else [t for t in bench.tests if t not in own[n]] for n, m in mutants.items()
                 if n not in bad and (of_folder or n not in named) and (record.of(m) or {"verdict": SURVIVED})["verdict"] not in KILLED}
        new = bench.make({t for tests in asked.values() for t in tests}, {n: mutants[n] for n in mutants if n not in bad})
        bad |= new
        for number in new:
            record.put(mutants[number], NOT_COMPILED, "", 0, 0)
        for number in (n for n in asked if n not in bad):
            m = mutants[number]
            verdict, test, *counts = bench.judge(number, asked[number], m.file, seconds)
            before = [0, 0] if of_folder else [record.of(m)["asked"], record.of(m)["came by"]]
            record.put(m, verdict, test, *(a + b for a, b in zip(counts, before)))
            print(f"{m.file}:{m.line}: {m.kind}: {one_line(m.old)} -> {one_line(m.new)}: {verdict} {test}".rstrip(), flush=True)


def summary(draws, record, explained):
    """Says how many of each drawing were killed; the least share, in percent, of those that a test can notice."""
    least = 100.0
    for name, mutants in draws.items():
        rows = [(m, record.of(m)) for m in mutants]
        count = collections.Counter(r["verdict"] for _, r in rows)
        equivalent = 0
        print(f"\n{name}:")
        for m, row in rows:
            if row["verdict"] not in KILLED:
                why = explained.get((m.file, m.function, one_line(m.old), one_line(m.new)), "not explained")
                equivalent += row["verdict"] == SURVIVED and why.startswith("equivalent:")
                print(f"{m.file}:{m.line}: {m.function}: {one_line(m.old)} -> {one_line(m.new)}: {row['verdict']}, {row['asked']} of {row['came by']} tests that come by: {why}")
        killed, judged = sum(count[v] for v in KILLED), len(rows) - count[NOT_COMPILED]
        share = 100 * killed / max(judged - equivalent, 1)
        print(f"{judged} mutants, {killed} killed ({count[BY_ASSERTION]} by an assertion, {count[HANGS]} hang), {count[SURVIVED]} survived, "
              f"of which {equivalent} equivalent: {share:.1f} % of the others killed")
        least = min(least, share)
    return least


def kills_all(rows, record):
    """Says which of the listed ones are not noticed as they must be; whether none is."""
    print("\nlisted:")
    missed = 0
    for row in rows:
        verdict = record.of(row.mutant)["verdict"]
        if verdict not in ((BY_ASSERTION,) if row.by_assertion else KILLED):
            print(f"{row.name}: {row.mutant.file}:{row.mutant.line}: {verdict}{', by no assertion' if verdict in KILLED else ''}")
            missed += 1
    print(f"{len(rows)} mutants, {missed} not killed")
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--draw", action="append", metavar="COUNT:SEED", help="150:1 when it is not only the listed ones")
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("--own", action="store_true", help="ask the folders' own tests alone")
    parser.add_argument("--seconds", type=float, default=300, help="that a fault's own tests may take, and the others as many")
    parser.add_argument("--least", type=float, default=90)
    options = parser.parse_args()
    if (options.draw or not options.listed) and not shutil.which("clang-query"):
        print("no clang-query (Debian: clang-tools)")
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    source, build, work = (os.path.realpath(p) for p in (options.source, options.build, options.work))
    draws = {d: draw.draw(source, build, *map(int, d.split(":"))) for d in options.draw or ([] if options.listed else ["150:1"])}
    rows = listed.read(source) if options.listed or not options.draw else []
    drawn = dict.fromkeys(m for mutants in draws.values() for m in mutants)
    mutants = dict(enumerate([*drawn, *(r.mutant for r in rows)], 1))
    bench, record = Bench(source, work), Record(os.path.join(work, "judged.jsonl"))
    judge(bench, mutants, {n: r.tests for n, r in enumerate(rows, len(drawn) + 1)}, record, options.own, options.seconds)
    enough = not draws or summary(draws, record, known(source)) >= options.least
    sys.exit(not (kills_all(rows, record) and enough))


if __name__ == "__main__":
    main()
