#!/usr/bin/env python3
"""Draws faults from the syntax of the source: draw.py SOURCE BUILD [--count N] [--seed N] [--json]

One line per mutant: its file and place, what kind it is, and the text before and after. BUILD holds compile_commands.json; the
syntax is what clang-query (Debian: clang-tools) says of it, and the exit status is 77 without it.

Files are drawn by their length, more mutants from larger folders; in a file first the kind is drawn, then the place. What is drawn
is the least of hashes of the seed with the folder, the file and the line's text: an edit elsewhere leaves a mutant drawn.
"""
import argparse
import bisect
import collections
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys

FOLDERS = ("perf", "mech", "power", "tech", "analysis", "run", "runtime")
KINDS = ("comparison", "off by one", "dropped statement", "swapped operands", "operator", "connective", "constant")
COMPARISON = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
BY_ONE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OPERATOR = {"+": "-", "-": "+", "*": "/", "/": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
CONNECTIVE = {"&&": "||", "||": "&&"}
# What only gives back is missed by no result: leaks are the sanitizers' to find.
GIVES_BACK = re.compile(r"\w*(free|destroy|close|release|clear|WW_DROP|unlock|fini)\w*\s*\(|\(void\)")
# Calls that answer the same with their arguments exchanged, and those where only the sign of the answer differs.
COMMUTES = re.compile(r"(f(min|max)f?|ww_(min|max)_\w+|\w+_equal|same_\w+|ww_alloc_array)\s*\(")
COMPARES = re.compile(r"(str(n|case|ncase)?cmp|memcmp)\s*\(")
IS_ZERO = re.compile(r"\s*[=!]= 0\b")
# Assertions are the tests' own; what an error says is no result.
NOT_RESULTS = re.compile(r"\b(WW_ASSERT|WW_VERIFY|_Static_assert|ww_(\w+_)?fail\w*|ww_error_\w+|ww_no_memory\w*|rt_say|fprintf(?=\(stderr))\s*\(")

# "body": from where to where the function's body goes.
Mutant = collections.namedtuple("Mutant", "file function line kind begin end new old body")
Node = collections.namedtuple("Node", "depth kind begin end rest")


class Text:
    """A file's text with places by line and column, and the ends of its tokens."""
    TOKEN = re.compile(r'[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|<<=|>>=|->|\+\+|--|&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|.')

    def __init__(self, path):
        with open(path, "rb") as file:
            self.text = file.read().decode("latin-1")  # columns are bytes
        self.lines = [0] + [m.end() for m in re.finditer("\n", self.text)]
        self.apart = [self.balanced(m.start()) for m in NOT_RESULTS.finditer(self.text)]

    def balanced(self, at):
        """From the name of a call to the end of its arguments."""
        depth, i = 0, self.text.index("(", at)
        while True:
            depth += {"(": 1, ")": -1}.get(self.text[i], 0)
            i += 1
            if depth == 0:
                return at, i

    def offset(self, line, column):
        return self.lines[line - 1] + column - 1

    def token_end(self, at):
        return self.TOKEN.match(self.text, at).end()

    def line_of(self, at):
        return bisect.bisect_right(self.lines, at)

    def line_text(self, at):
        line = self.line_of(at)
        return self.text[self.lines[line - 1]:].split("\n", 1)[0].strip()

    def is_apart(self, begin, end):
        return any(begin < e and b < end for b, e in self.apart)


class Places:
    """Places as clang prints them: each says only what has changed since the one before."""
    ONE = re.compile(r"<invalid sloc>|<[^<>]*>:\d+:\d+|line:\d+:\d+|col:\d+|[^<>, ][^<>,]*:\d+:\d+")

    def __init__(self):
        self.file, self.line = "", 0

    def read(self, word):
        """(file, line, column), None for no place of a file."""
        if word == "<invalid sloc>":
            return None
        head, *numbers = word.rsplit(":", 2) if not word.startswith(("line:", "col:")) else word.split(":")
        if head == "line":
            self.line = int(numbers[0])
        elif head != "col":
            self.file, self.line = head, int(numbers[0])
        return self.file, self.line, int(numbers[-1])


def clang_dump(path, build):
    """The syntax of the functions that a file defines."""
    query = "match functionDecl(isDefinition(), isExpansionInMainFile())"
    done = subprocess.run(["clang-query", "-p", build, "--extra-arg=-w", "-c", "set output dump", "-c", query, path],
                          capture_output=True, text=True, errors="replace", check=False)
    if "Match #" not in done.stdout and "0 matches" not in done.stdout:
        sys.exit(f"{path}: clang-query says nothing of it: {done.stderr[-300:]}")
    return done.stdout


NODE = re.compile(r"^([| `-]*)(\w+) 0x[0-9a-f]+ (?:(?:prev|parent) 0x[0-9a-f]+ )*<((?:<[^<>]*>|[^<>])*(?:<[^<>]*>[^<>]*)*)>(.*)$")


def nodes_of(dump):
    """Nodes in order, a list for each function."""
    functions = []
    places = Places()
    for line in dump.splitlines():
        if line.startswith("Match #"):
            functions.append([])
            places = Places()
        m = NODE.match(line)
        if not m or not functions:
            continue
        begin, *more = [places.read(w) for w in Places.ONE.findall(m[3])] or [None]
        rest = m[4]
        if m[2].endswith("Decl"):  # its name's place follows
            named = re.match(r" (?:prev 0x\w+ )?(line:\d+:\d+|col:\d+|/\S+:\d+:\d+|<[^<>]*>:\d+:\d+)", rest)
            if named:
                places.read(named[1])
        functions[-1].append(Node(len(m[1]), m[2], begin, more[-1] if more else begin, rest))
    return [f for f in functions if f]


def children(nodes, i):
    """Indices of the children of a node."""
    found, j = [], i + 1
    while j < len(nodes) and nodes[j].depth > nodes[i].depth:
        if nodes[j].depth == nodes[i].depth + 2:
            found.append(j)
        j += 1
    return found


class Drawer:
    """The mutants that one function's nodes allow."""

    def __init__(self, path, name, text, nodes):
        self.path, self.name, self.text, self.nodes, self.found = path, name, text, nodes, []
        self.function = (re.search(r"(\w+) '", nodes[0].rest) or re.match("(.*)", nodes[0].rest))[1]
        bodies = [self.span(j) for j in children(nodes, 0) if nodes[j].kind == "CompoundStmt"]
        self.body = bodies[0] if bodies else None

    def span(self, i):
        """Offsets of a node, None where some of it is a macro's or another file's."""
        node = self.nodes[i]
        if node.begin is None or node.end is None or node.begin[0] != self.path or node.end[0] != self.path:
            return None
        begin, last = self.text.offset(*node.begin[1:]), self.text.offset(*node.end[1:])
        return (begin, self.text.token_end(last)) if begin <= last else None

    def add(self, kind, begin, end, new):
        old = self.text.text[begin:end]
        inside = self.body and self.body[0] < begin and end < self.body[1]
        # Of what a macro says, whole expressions: there they are replaced (plant.py).
        of_macro = self.body and (end <= self.body[0] or begin >= self.body[1]) and (
            kind == "constant" or kind == "swapped operands" and not re.search("[,\n]", old))
        if old != new and (inside or of_macro) and not self.text.is_apart(begin, end):
            self.found.append(Mutant(self.name, self.function, self.text.line_of(begin), kind, begin, end, new, old, self.body))

    def operator_of(self, i, parts):
        """(begin, end, text) of a binary operator: what stands between its operands."""
        left, right = (self.span(p) for p in parts)
        if left is None or right is None or left[1] > right[0]:
            return None
        between = self.text.text[left[1]:right[0]]
        m = re.fullmatch(r"\s*(\S+)\s*", between)
        said = re.search(r"'([^'\w]+)'(?: Compute.*)?$", self.nodes[i].rest)
        if not m or not said or m[1] != said[1]:
            return None
        return left[1] + m.start(1), left[1] + m.end(1), m[1]

    def binary(self, i):
        parts = children(self.nodes, i)
        at = self.operator_of(i, parts) if len(parts) == 2 else None
        if at is None:
            return
        for kind, table in (("comparison", COMPARISON), ("off by one", BY_ONE), ("operator", OPERATOR), ("connective", CONNECTIVE)):
            if at[2] in table:
                self.add(kind, at[0], at[1], table[at[2]])
        if at[2] in ("-", "/", "%", "<<", ">>"):
            self.swap(parts[0], parts[1], lambda operand: operand if re.fullmatch(r"[\w.]+", operand) else f"({operand})")

    def swap(self, first, second, whole=str):
        a, b = self.span(first), self.span(second)
        if a and b and a[1] <= b[0]:
            text = self.text.text
            self.add("swapped operands", a[0], b[1], whole(text[b[0]:b[1]]) + text[a[1]:b[0]] + whole(text[a[0]:a[1]]))

    def call(self, i):
        """Arguments beside each other, of one type, where their order matters."""
        at = self.span(i)
        if at is None or COMMUTES.match(self.text.text, at[0]) or (
                COMPARES.match(self.text.text, at[0]) and IS_ZERO.match(self.text.text, at[1])):
            return
        kind = lambda j: (re.search(r"'([^']*)'", self.nodes[j].rest) or [None, j])[1]
        arguments = children(self.nodes, i)[1:]
        for a, b in zip(arguments, arguments[1:]):
            if kind(a) == kind(b):
                self.swap(a, b)

    def constant(self, i):
        at = self.span(i)
        if at is None:
            return
        old = self.text.text[at[0]:at[1]]
        if self.nodes[i].kind == "FloatingLiteral":
            self.add("constant", *at, f"(2 * {old})")
        elif re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", old):
            self.add("constant", *at, f"({old} + 1)")

    def statements(self, i):
        """Statements of a block whose value nobody takes."""
        for j in children(self.nodes, i):
            at = self.span(j)
            node = self.nodes[j]
            assigns = node.kind == "CompoundAssignOperator" or node.rest.endswith("'='") or (
                node.kind == "UnaryOperator" and re.search(r"'(\+\+|--)'", node.rest))
            if at is None or not (node.kind == "CallExpr" or assigns):
                continue
            semicolon = re.match(r"\s*;", self.text.text[at[1]:])
            if semicolon and not GIVES_BACK.match(self.text.text[at[0]:at[1]]):
                self.add("dropped statement", at[0], at[1] + semicolon.end(), ";")

    def draw(self):
        for i, node in enumerate(self.nodes):
            if node.kind in ("BinaryOperator", "CompoundAssignOperator"):
                self.binary(i)
            elif node.kind == "CallExpr":
                self.call(i)
            elif node.kind in ("IntegerLiteral", "FloatingLiteral"):
                self.constant(i)
            elif node.kind == "CompoundStmt":
                self.statements(i)
        return self.found


def mutants_of(source, build, name):
    """All mutants of a file."""
    path = os.path.join(source, name)
    text = Text(path)
    found = []
    for nodes in nodes_of(clang_dump(path, build)):
        found += Drawer(path, name, text, nodes).draw()
    return list(dict.fromkeys(found)), text


def drawn_number(*words):
    """A number in (0, 1) that depends on the words alone."""
    digest = hashlib.sha256("\0".join(map(str, words)).encode()).digest()
    return (int.from_bytes(digest[:7], "big") + 1) / (2 ** 56 + 2)


def draw_from_file(source, build, name, seed, already):
    """One mutant of a file that is not among those already drawn; None where it has none."""
    mutants, text = mutants_of(source, build, name)
    by_kind = collections.defaultdict(list)
    for m in mutants:
        if m not in already:
            by_kind[m.kind].append(m)
    if not by_kind:
        return None
    kind = min(by_kind, key=lambda k: drawn_number(seed, name, k, len(already)))
    return min(by_kind[kind], key=lambda m: drawn_number(seed, name, m.function, m.kind, text.line_text(m.begin), m.old, m.new))


def files_of(source, folder):
    """C files of a folder that are no tests, with their lengths."""
    found = []
    for where, _, names in os.walk(os.path.join(source, folder)):
        for name in names:
            if name.endswith(".c") and not name.startswith("test_"):
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    found.append((os.path.relpath(path, source), file.read().count(b"\n")))
    return sorted(found)


def shares(files, count):
    """How many mutants each folder gets: by the root of its lines, so that a small one is not left out."""
    weight = {f: math.sqrt(sum(n for _, n in files[f])) for f in files}
    total, given, sum_so_far = sum(weight.values()), {}, 0.0
    for f in files:
        before = round(count * sum_so_far / total)
        sum_so_far += weight[f]
        given[f] = round(count * sum_so_far / total) - before
    return given


def draw(source, build, count, seed):
    """That many mutants, in the order of folders."""
    files = {f: files_of(source, f) for f in FOLDERS}
    drawn = []
    for folder, share in shares(files, count).items():
        order = sorted(files[folder], key=lambda f: -math.log(drawn_number(seed, f[0])) / f[1])
        mine = []
        while len(mine) < share:  # another round over the files where a folder has fewer
            before = len(mine)
            for name, _ in order:
                found = draw_from_file(source, build, name, seed, [m for m in mine if m.file == name]) if len(mine) < share else None
                mine += [found] if found else []
            if len(mine) == before:
                break
        drawn += mine
    return drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="a JSON object per line")
    options = parser.parse_args()
    if not shutil.which("clang-query"):
        print("no clang-query (Debian: clang-tools)")
        sys.exit(77)
    for m in draw(os.path.realpath(options.source), os.path.realpath(options.build), options.count, options.seed):
        print(json.dumps(m._asdict()) if options.json else f"{m.file}:{m.line}: {m.kind}: {' '.join(m.old.split())} -> {' '.join(m.new.split())}")


if __name__ == "__main__":
    main()
