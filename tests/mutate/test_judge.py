#!/usr/bin/env python3
"""Does each fault of a small project get its verdict, from one build that holds them all? test_judge.py"""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile

import draw
import judge
import listed

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = """\
#define BEFORE_ALL 1
#include "perf/x.h"
#include <stdio.h>
#include <stdlib.h>
#define ROOM (3 * 4)
int least(int a, int b)
{
    if (a < b) goto first;
    return b + 0;
first:
    return a;
}
int slot(int i)
{
    int at = i % 4;
    if (at > 3) {
        fprintf(stderr, "at <= 3 does not hold: x.c\\n");
        abort();
    }
    return at;
}
int sum(int n)
{
    int s = 0;
    while (n > 0) {
        s += n;
        n--;
    }
    return s;
}
int room(void)
{
    return ROOM;
}
int unasked(int a)
{
    enum { ONE = 1 };
    return a + ONE;
}
"""
FILES = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(x C)\nenable_testing()\nadd_executable(x perf/x.c perf/main.c)\n"
                      "target_include_directories(x PRIVATE ${PROJECT_SOURCE_DIR})\n"
                      "target_compile_options(x PRIVATE -std=c17 -Wall -Wextra -Wpedantic -Werror)\n"
                      "foreach(t IN ITEMS fails least slot sum room)\nadd_test(NAME unit/perf/${t} COMMAND x ${t})\n"
                      "set_tests_properties(unit/perf/${t} PROPERTIES LABELS quick)\nendforeach()\n"
                      "add_test(NAME golden/all COMMAND x all)\nset_tests_properties(golden/all PROPERTIES LABELS quick)\n",
    "CMakePresets.json": '{"version": 6, "configurePresets": [{"name": "ci", "generator": "Ninja", "binaryDir": "${sourceDir}/build/ci"}]}\n',
    "perf/x.h": "int least(int a, int b);\nint slot(int i);\nint sum(int n);\nint room(void);\nint unasked(int a);\n",
    "perf/x.c": SOURCE,
    "perf/main.c": '#include "perf/x.h"\n#include <string.h>\nint main(int argc, char **argv)\n{\n'
                   '    const char *asked = argc > 1 ? argv[1] : "";\n'
                   '    if (strcmp(asked, "least") == 0) return least(1, 2) != 1 || least(2, 1) != 1;\n'
                   '    if (strcmp(asked, "slot") == 0) return slot(7) != 3;\n'
                   '    if (strcmp(asked, "sum") == 0) return sum(3) != 6;\n'
                   '    if (strcmp(asked, "room") == 0) return room() != 12;\n'
                   '    if (strcmp(asked, "all") == 0) return unasked(1) != 2;\n    return 1;\n}\n',
}
# Function, kind, text before and after, verdict, test.
FAULTS = (("least", "comparison", "<", ">=", judge.BY_TEST, "unit/perf/least"),
          ("least", "operator", "+", "-", judge.SURVIVED, ""),  # b - 0 is b + 0
          ("slot", "constant", "4", "(4 + 1)", judge.BY_TEST, "unit/perf/slot"),  # 7 % 5 is 2
          ("slot", "operator", "%", "+", judge.BY_ASSERTION, "unit/perf/slot"),
          ("sum", "dropped statement", "n--;", ";", judge.HANGS, "unit/perf/sum"),
          ("sum", "constant", "0", "nothing", judge.NOT_COMPILED, ""),
          ("room", "constant", "4", "(4 + 1)", judge.BY_TEST, "unit/perf/room"),
          ("unasked", "constant", "1", "(1 + 1)", judge.SURVIVED, ""))  # by a golden alone


# One that an assertion must notice and does, one that it must and a test does, and one that none of its tests notices.
LISTED = """\
mutant: slot-past-its-end
file: perf/x.c
tests: unit/perf/slot
dies: assertion
- int at = i % 4;
+ int at = i + 4;

mutant: sum-from-one
file: perf/x.c
tests: unit/perf/sum
dies: assertion
- int s = 0;
+ int s = 1;

mutant: sum-that-is-one
file: perf/x.c
tests: unit/perf/least
after: least(
- return b + 0;
+ return b - 0;
"""


def mutant(function, kind, old, new):
    """The fault at the text's first place in the function's body, or in the macro that it says."""
    at = SOURCE.index("{", SOURCE.index(f"int {function}("))
    body = (at, SOURCE.index("\n}", at) + 2)
    text = f" {old}" if len(old) < 3 else old
    begin = SOURCE.index(text, SOURCE.index("ROOM") if function == "room" else at) + (len(old) < 3)
    return draw.Mutant("perf/x.c", function, SOURCE.count("\n", 0, begin) + 1, kind, begin, begin + len(old), new, old, body)


def expect(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


def of_list(bench, source, folder):
    """Verdicts of what is listed, with time for one test; what is said of them."""
    with open(os.path.join(source, "tests/mutate/mutants.txt"), "w", encoding="utf-8") as file:
        file.write(LISTED)
    for test in ("slot", "sum", "least"):
        os.makedirs(os.path.join(source, "tests/unit/perf"), exist_ok=True)
        open(os.path.join(source, f"tests/unit/perf/{test}.c"), "w", encoding="utf-8").close()
    rows = listed.read(source)
    record = judge.Record(os.path.join(folder, "listed.jsonl"))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        judge.judge(bench, {n: r.mutant for n, r in enumerate(rows, 1)}, {n: r.tests for n, r in enumerate(rows, 1)}, record, False, 1)
        expect(not judge.kills_all(rows, record), "not all that is listed is noticed")
        expect(judge.kills_all(rows[:1], record), "the first one is, by an assertion")
    expect([record.of(r.mutant)["verdict"] for r in rows] == [judge.BY_ASSERTION, judge.BY_TEST, judge.SURVIVED], f"the listed ones: {said.getvalue()}")
    expect([r.mutant.function for r in rows] == ["slot", "sum", "least"], "their functions")
    with open(os.path.join(source, "tests/mutate/mutants.txt"), "a", encoding="utf-8") as file:
        file.write("\nmutant: gone\nfile: perf/x.c\ntests: unit/perf/sum\n- int gone\n+ int come\n")
    try:
        listed.read(source)
        expect(False, "a fault without its text")
    except ValueError as why:
        expect(str(why) == "gone: its text is not once in a function of perf/x.c", why)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        source, work = os.path.join(folder, "project"), os.path.join(folder, "work")
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(source, name)), exist_ok=True)
            with open(os.path.join(source, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.makedirs(os.path.join(source, "tests/mutate"))
        shutil.copy(os.path.join(HERE, "mutant.h"), os.path.join(source, "tests/mutate"))
        subprocess.run(["git", "init", "-q"], cwd=source, check=True)
        subprocess.run(["git", "add", "."], cwd=source, check=True)
        mutants = {i: mutant(*fault[:4]) for i, fault in enumerate(FAULTS, 1)}
        record = judge.Record(os.path.join(folder, "judged.jsonl"))
        bench = judge.Bench(source, work)
        bench.patience = 1
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            judge.judge(bench, mutants, {}, record, False, 300)
            share = judge.summary({"these": list(mutants.values())}, record, {})
        for i, (function, _, old, new, verdict, test) in enumerate(FAULTS, 1):
            row = record.of(mutants[i])
            expect((row["verdict"], row["test"]) == (verdict, test), f"the verdict of {function}, {old} for {new}: {row}\n{said.getvalue()}")
        expect(record.of(mutants[2])["came by"] == 1, "how many tests come by the sum")
        expect(record.of(mutants[8])["came by"] == 0, "how many tests come by what only a golden asks")
        expect(round(share, 3) == 71.429, f"five of seven that compile are killed, not {share} %")
        of_list(bench, source, folder)
        with open(os.path.join(source, "perf/x.c"), encoding="utf-8") as file:
            expect(file.read() == SOURCE, "the source itself stays as it is")


main()
