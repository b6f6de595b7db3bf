#!/usr/bin/env python3
"""Faults that are written down in mutants.txt: listed.py SOURCE says which of them no longer fit the source, with exit status 1 then."""
import collections
import os
import re
import sys

import draw

# "by_assertion": one must end its test, whatever the test itself finds.
Listed = collections.namedtuple("Listed", "name mutant tests by_assertion")
LINE = re.compile(r"(mutant|file|tests|dies|after): (.*)|([-+]) (.*)")


def blocks(source):
    """Dictionaries of their lines, by what these begin with."""
    found = []
    with open(os.path.join(source, "tests/mutate/mutants.txt"), encoding="latin-1", newline="") as file:
        for line in file.read().split("\n"):
            m = LINE.fullmatch(line)
            if m and m[1] == "mutant":
                found.append({})
            if m and found:
                found[-1][m[1] or m[3]] = m[2] or m[4] or ""
    return found


def place(text, block):
    """Where the text to be replaced begins: it stands there once, or behind the line of "after"; -1 elsewhere."""
    begin = text.find(block["after"]) if "after" in block else 0
    at = text.find(block["-"], begin) if begin >= 0 else -1
    return -1 if "after" not in block and text.find(block["-"], at + 1) >= 0 else at


def body_of(text, at):
    """From where to where the function's body goes that holds a place; None outside of one."""
    begin, end = text.rfind("\n{", 0, at) + 1, text.find("\n}", at) + 2
    return (begin, end) if begin > 0 and end > 1 and "\n}" not in text[begin:at] else None


def read(source):
    """All of them; a ValueError says what does not fit."""
    found, wrong = [], []
    for block in blocks(source):
        name = block["mutant"]
        with open(os.path.join(source, block["file"]), encoding="latin-1", newline="") as file:
            text = file.read()
        at = place(text, block)
        body = body_of(text, at) if at >= 0 else None
        tests = block["tests"].split()
        wrong += [f"{name}: its text is not once in a function of {block['file']}"] if body is None else []
        wrong += [f"{name}: no test {t}" for t in tests if not any(os.path.isfile(os.path.join(source, d, f"{t}.c")) for d in ("tests", "."))]
        if body is not None:
            function = re.findall(r"(\w+)\(", text[max(0, body[0] - 500):body[0]])[-1:]
            found.append(Listed(name, draw.Mutant(block["file"], function[0] if function else "", text.count("\n", 0, at) + 1, "listed", at,
                                                  at + len(block["-"]), block["+"], block["-"], body), tests, block.get("dies") == "assertion"))
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


if __name__ == "__main__":
    try:
        read(sys.argv[1])
    except (ValueError, OSError) as why:
        sys.exit(str(why))
