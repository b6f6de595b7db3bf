"""Writes a file so that it holds faults beside what it says without them: WW_MUTANT=NUMBER in a program's environment chooses one.

A function that faults were drawn from gets its body once more for each of them, behind a question to mutant.h; an expression that
a macro says has the question within. So one build serves all, and WW_MUTANTS_MET=FILE collects the numbers of those that a program
comes by, without any acting.
"""
import collections
import re

# Warnings that a header of the system keeps from, and those that come later than that is known.
LATE = ("maybe-uninitialized", "uninitialized", "array-bounds", "stringop-overflow", "stringop-overread", "format-truncation", "format-overflow",
        "nonnull", "restrict")
QUIET = "#pragma GCC system_header\n" + "".join(f'#pragma GCC diagnostic ignored "-W{w}"\n' for w in LATE)
INCLUDE = re.compile(r'^#include [<"].*$', re.MULTILINE)


def copies(text, mutants):
    """A function's body with its faults, a list of (number, mutant)."""
    begin, end = mutants[0][1].body
    in_macro = text[begin:].split("\n", 1)[0].endswith("\\")
    lines = " " if in_macro else f"\n#line {text.count(chr(10), 0, begin) + 1}\n"
    said = "{"
    for number, m in mutants:
        faulty = text[begin:m.begin] + m.new + text[m.end:end]
        for label in set(re.findall(r"\bgoto (\w+);", faulty)):
            faulty = re.sub(rf"\b{label}\b(?=[;:])", f"{label}_{number}", faulty)
        said += f"if (ww_mutant({number})){lines}{faulty} else "
    return f"{said}{lines}{text[begin:end]}" + "}"


def choice(mutants):
    """An expression with its faults."""
    said = mutants[0][1].old
    for number, m in mutants:
        said = f"(ww_mutant({number}) ? {m.new} : {said})"
    return said


def planted(text, mutants):
    """The text of a header that takes the place of the file's, warnings off."""
    places = collections.defaultdict(list)
    for number, m in mutants:
        if text[m.begin:m.end] != m.old:
            raise ValueError(f"{m.file}: it is not what was drawn from")
        inside = m.body[0] < m.begin < m.body[1]
        places[m.body if inside else (m.begin, m.end)].append((number, m))
    for (begin, end), here in sorted(places.items(), reverse=True):
        _, m = here[0]
        text = text[:begin] + (copies(text, here) if (begin, end) == m.body else choice(here)) + text[end:]
    first = INCLUDE.search(text)
    line = text.count("\n", 0, first.end()) + 2
    return (f"{QUIET}#line 1\n{text[:first.end()]}\n#include \"tests/mutate/mutant.h\"\n#line {line}"
            f"{text[first.end():]}")


def header_of(name):
    """Where that header lies, beside the file, for what it includes itself."""
    return name[:-2] + ".planted.h"
