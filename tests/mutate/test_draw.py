#!/usr/bin/env python3
"""Is what is drawn what the syntax allows, of every folder, and the same each time? test_draw.py SOURCE BUILD; 77 without clang-query."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import draw

SAMPLE = """\
#define WW_ASSERT(x) ((void)sizeof(x))
int f(int a, int b);
void note(int *p), free_it(int *p);
int strcmp(const char *a, const char *b);
double fmax(double a, double b);
int order(const char *a, const char *b, double x, double y)
{
    return strcmp(a, b) == 0 || strcmp(b, a) < fmax(x, y);
}
int sample(int a, int b, int *p)
{
    WW_ASSERT(a < 3);
    if (a < b && b != 2) { /* a > b */
        *p = a - b;
        note(p);
        free_it(p);
    }
    return f(a, b);
}
"""
ALLOWED = {(8, "comparison", "==", "!="), (8, "constant", "0", "(0 + 1)"), (8, "connective", "||", "&&"), (8, "comparison", "<", ">="),
           (8, "off by one", "<", "<="), (8, "swapped operands", "b, a", "a, b"),
           (13, "comparison", "<", ">="), (13, "off by one", "<", "<="), (13, "connective", "&&", "||"), (13, "comparison", "!=", "=="),
           (13, "constant", "2", "(2 + 1)"), (14, "dropped statement", "*p = a - b;", ";"), (14, "operator", "-", "+"),
           (14, "swapped operands", "a - b", "b - a"), (15, "dropped statement", "note(p);", ";"), (18, "swapped operands", "a, b", "b, a")}


def of_sample():
    """What a file allows: neither assertions nor comments, what only gives memory back, or an order that does not matter."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        path = os.path.join(folder, "sample.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SAMPLE)
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump([{"directory": folder, "file": path, "command": f"cc -c {path}"}], file)
        found, _ = draw.mutants_of(folder, folder, "sample.c")
        return {(m.line, m.kind, m.old, m.new) for m in found}


def expect(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


def main():
    if not shutil.which("clang-query"):
        sys.exit(77)
    found = of_sample()
    expect(found == ALLOWED, f"the mutants of the sample: too many {found - ALLOWED}, missing {ALLOWED - found}")
    source, build = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(draw.__file__)), "draw.py"), source, build, "--count", "21", "--json"]
    once = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expect(once == subprocess.run(command, capture_output=True, text=True, check=True).stdout, "another drawing of the same seed")
    expect(once != subprocess.run(command + ["--seed", "2"], capture_output=True, text=True, check=True).stdout, "the same drawing of another seed")
    mutants = [json.loads(line) for line in once.splitlines()]
    expect(len(mutants) == 21, "how many there are")
    expect({m["file"].split("/")[0] for m in mutants} == set(draw.FOLDERS), "the folders that they are of")
    for m in mutants:
        with open(os.path.join(source, m["file"]), encoding="latin-1", newline="") as file:
            expect(file.read()[m["begin"]:m["end"]] == m["old"] != m["new"], f"the place of {m}")


main()
