#!/usr/bin/env python3
"""Does PTX of another compiler compute what the host does? Random C programs, compiled by clang for
the host and by LLVM's back end to PTX, on the same 120 inputs: integers of 8 to 128 bits, floats,
branches, loops, switches, calls, arrays of a thread. Every fifth runs in time.
Usage: programs.py WARPWATT CLANG [FIRST [COUNT]]: programs of these seeds; exit code 1 where one
differs, and its folder stays."""

import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = {f"{sign}{bits}": bits for bits in (8, 16, 32, 64, 128) for sign in "iu"}
FLOATS = ("f32", "f64")
IN_MEMORY = ("u8", "i8", "u16", "i16", "u64", "f32", "f64")
GPUS = ("gtx480", "gtx1080ti", "qv100", "a100")
TARGETS = ("sm_35", "sm_60", "sm_70", "sm_75", "sm_80")
LAUNCH = """<launches>
  <buffer name="in" type="u32" count="512"><file path="in.bin"/></buffer>
  <buffer name="out" type="u32" count="256"/>
  <launch kernel="k">
    <grid x="2"/><block x="64"/>
    <arg buffer="in"/><arg buffer="out"/><arg type="u32" value="120"/>
  </launch>
  <dump buffer="out" file="out.bin" format="bin"/>
</launches>
"""


class Program:
    """A random program: `text` is C. Nothing in it is undefined, so that there is one right answer."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        wide = self.random.random() < 0.3
        self.types = [t for t in WIDTH if wide or WIDTH[t] < 128] + list(FLOATS)
        self.lines, self.functions, self.names = ['#include "prelude.h"'], [], 0
        for _ in range(self.random.randrange(4)):
            self.function()
        self.kernel()
        self.text = "\n".join(self.lines) + "\n"

    def put(self, line):
        self.lines.append(line)

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def any_type(self):
        return self.random.choice(self.types) if self.random.random() < 0.8 else "u32"

    # ---- expressions ----

    def constant(self, t):
        pick = self.random
        if t in FLOATS:
            return f"(({t}){pick.choice(('0.0', '1.0', '-1.5', '1e-3', '123456.75', '-0.0'))})"
        bits = min(WIDTH[t], 64)
        value = pick.choice((0, 1, 3, 7, (1 << bits - 1) - 1, 1 << bits - 1, pick.getrandbits(bits)))
        return f"(({t}){value}ull)"

    @staticmethod
    def cast(text, source, target):
        if source == target:
            return text
        if source in FLOATS and target not in FLOATS:  # others are undefined outside the range
            return f"(({target})(i32)within((f64){text}))"
        if target in FLOATS and WIDTH.get(source) == 128:
            return f"(({target})(u64){text})"
        return f"(({target}){text})"

    def leaf(self, t):
        same = [v for v in self.scope if v[1] == t]
        if not self.scope or self.random.random() < 0.2:
            return self.constant(t)
        name, source = self.random.choice(same if same and self.random.random() < 0.6 else self.scope)
        return self.cast(name, source, t)

    def expression(self, t, depth):
        pick = self.random
        if depth <= 0 or pick.random() < 0.12:
            return self.leaf(t)
        kind = pick.random()
        if self.functions and kind < 0.06:
            name, result, arguments = pick.choice(self.functions)
            given = ", ".join(self.expression(a, depth - 2) for a in arguments)
            return self.cast(f"{name}({given})", result, t)
        if kind < 0.14:
            parts = self.condition(depth - 1), self.expression(t, depth - 1), self.leaf(t)
            return "(%s ? %s : %s)" % parts
        if kind < 0.22:
            source = self.any_type()
            return self.cast(self.expression(source, depth - 1), source, t)
        return self.fraction(t, depth) if t in FLOATS else self.whole(t, depth)

    def fraction(self, t, depth):
        suffix = "f" if t == "f32" else ""
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        number = f"number_{t}({a})", f"number_{t}({b})"
        return self.random.choice(
            (
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"({a} / {b})",
                f"(-{a})",
                f"__builtin_sqrt{suffix}(__builtin_fabs{suffix}({a}))",
                f"__builtin_fma{suffix}({a}, {b}, {self.leaf(t)})",
                f"__builtin_floor{suffix}({a})",
                f"__builtin_ceil{suffix}({a})",
                f"__builtin_trunc{suffix}({a})",
                f"__builtin_rint{suffix}({a})",
                f"__builtin_fmin{suffix}({number[0]}, {number[1]})",
                f"__builtin_fmax{suffix}({number[0]}, {number[1]})",
                f"__builtin_copysign{suffix}({number[0]}, {number[1]})",
            )
        )

    def whole(self, t, depth):
        pick, bits = self.random, WIDTH[t]
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        word, wide = self.expression("u32", depth - 1), self.expression("u64", depth - 1)
        float_type = pick.choice(FLOATS)
        texts = [
            f"({a} {pick.choice('+-*&|^')} {b})",
            f"({a} {pick.choice('+-*&|^')} {b})",
            f"(opaque_{t}({a}) {pick.choice(('<<', '>>'))} ({b} & {bits - 1}))",
            f"({a} >> {pick.randrange(bits)})",
            f"(~{a})",
            f"__builtin_popcount({word})",
            f"__builtin_popcountll({wide})",
            f"__builtin_ctz({word} | 1)",
            f"__builtin_ctzll({wide} | 1)",
            f"__builtin_clz({word} | 1)",
            f"__builtin_clzll({wide} | 1)",
            f"__builtin_bswap{pick.choice((32, 64))}({word})",
            f"__builtin_bitreverse{pick.choice((32, 64))}({wide})",
            f"__builtin_rotateleft{pick.choice((8, 16, 32))}({word}, {pick.randrange(8)})",
            f"__builtin_rotateright64({wide}, {pick.randrange(64)})",
            f"bits_{float_type}({self.expression(float_type, depth - 1)})",
            self.condition(depth - 1),
        ]
        if bits <= 64:
            of_two = ("quotient", "remainder", "least", "most", "distance", "sum", "rest", "upper")
            texts += [f"{f}_{t}({a}, {b})" for f in of_two]
        return f"(({t}){pick.choice(texts)})"

    def condition(self, depth):
        if depth > 0 and self.random.random() < 0.2:
            joint = self.random.choice(("&&", "||", "!="))
            return f"({self.condition(depth - 1)} {joint} {self.condition(depth - 1)})"
        t = self.any_type()
        relation = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"({self.expression(t, depth - 1)} {relation} {self.expression(t, depth - 1)})"

    # ---- statements ----

    def block(self, depth):
        kept = len(self.scope)
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth)
        del self.scope[kept:]

    def declare(self, t, text):
        name = self.name()
        self.put(f"{t} {name} = {text};")
        self.scope.append((name, t))

    def loop(self, depth):
        index, most = self.name(), self.random.choice((3, 7))
        self.put(f"{{ const u32 end_{index} = {self.expression('u32', 2)} & {most};")
        self.put(f"for (u32 {index} = 0; {index} < end_{index}; {index}++) {{")
        self.scope.append((index, "u32"))
        self.fixed.add(index)
        self.block(depth - 1)
        if self.random.random() < 0.3:
            self.put(f"if {self.condition(2)} {self.random.choice(('break', 'continue'))};")
        self.scope.pop()
        self.put("}}")

    def switch(self, depth):
        self.put(f"switch ({self.expression('u32', 2)} & 7) {{")
        for value in self.random.sample(range(8), self.random.randrange(2, 8)):
            self.put(f"case {value}: {{")
            self.block(depth - 1)
            self.put("}" + (" break;" if self.random.random() < 0.8 else ""))
        self.put("}")

    def branch(self, depth):
        self.put(f"if {self.condition(2)} {{")
        self.block(depth - 1)
        if self.random.random() < 0.5:
            self.put("} else {")
            self.block(depth - 1)
        self.put("}")

    def statement(self, depth):
        pick, kind = self.random, self.random.random()
        t, index = pick.choice(IN_MEMORY), self.expression("u32", 2)
        variables = [v for v in self.scope if v[0] not in self.fixed]
        if kind < 0.35 or depth <= 0:
            if variables and pick.random() < 0.6:
                name, t = pick.choice(variables)
                self.put(f"{name} = {self.expression(t, 3)};")
            else:
                t = self.any_type()
                self.declare(t, self.expression(t, 3))
        elif kind < 0.5:
            self.branch(depth)
        elif kind < 0.63:
            self.loop(depth)
        elif kind < 0.71:
            self.switch(depth)
        elif kind < 0.8:
            self.put(f"words[{index} & 15] = {self.expression('u32', 3)};")
        elif kind < 0.87:
            self.put(f"mixed.{t}[{index} & 7] = {self.expression(t, 2)};")
        elif kind < 0.92:
            self.declare(t, f"mixed.{t}[{index} & 7]")
        else:
            self.declare("u32", f"words[{index} & 15]")

    def function(self):
        arguments = [self.any_type() for _ in range(self.random.randrange(1, 5))]
        result, name = self.any_type(), f"f{len(self.functions)}"
        self.scope, self.fixed = [(f"a{i}", t) for i, t in enumerate(arguments)], set()
        inline = self.random.choice(("", "__attribute__((noinline)) "))
        taken = ", ".join(f"{t} a{i}" for i, t in enumerate(arguments))
        self.put(f"{inline}static {result} {name}({taken})\n{{\nu32 words[16]; all_types mixed;")
        self.put("fill(words, &mixed);")
        self.block(2)
        self.put(f"return {self.expression(result, 3)};\n}}")
        self.functions.append((name, result, arguments))

    def kernel(self):
        self.put("KERNEL void k(GLOBAL const u32 *in, GLOBAL u32 *out, u32 n)\n{")
        self.put("u32 id = THREAD;\nif (id >= n) { return; }\nu32 words[16]; all_types mixed;")
        self.put("fill(words, &mixed);\nINPUTS;")
        types = ("u32", "u32", "i32", "u64", "f32", "f64")
        self.scope, self.fixed = [(f"x{i}", t) for i, t in enumerate(types)] + [("id", "u32")], {"id"}
        for _ in range(self.random.randrange(4, 12)):
            self.statement(3)
        self.put("u64 h = START;")
        for name, t in self.scope:
            self.put(f"h = mix(h, {f'bits_{t}({name})' if t in FLOATS else f'(u64){name}'});")
            if WIDTH.get(t) == 128:
                self.put(f"h = mix(h, (u64)({name} >> 64));")
        self.put("h = mix_all(h, words, &mixed);")
        self.put("out[id * 2] = (u32)h;\nout[id * 2 + 1] = (u32)(h >> 32);\n}")


def execute(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[-400:]}")


def mark_kernel(path):
    """What makes a function a kernel is a note behind it, which C cannot write."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    word = "i32 addrspace(1)*"
    pointer = f"void ({word}, {word}, i32)* @k" if word in text else "ptr @k"  # before LLVM 15
    with open(path, "a", encoding="utf-8") as file:
        file.write(f'!nvvm.annotations = !{{!9000}}\n!9000 = !{{{pointer}, !"kernel", i32 1}}\n')


def compare(tools, seed, folder):
    warpwatt, clang = tools
    with open(os.path.join(folder, "k.c"), "w", encoding="utf-8") as file:
        file.write(Program(seed).text)
    with open(os.path.join(folder, "launch.xml"), "w", encoding="utf-8") as file:
        file.write(LAUNCH)
    level, target = f"-O{1 + seed % 3}", TARGETS[seed % len(TARGETS)]
    exact = ("-I", HERE, "-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-w")
    execute(folder, clang, "-O1", *exact, "-DHOST", "k.c", "-o", "host", "-lm")
    execute(folder, "./host")
    device = (clang, "--target=nvptx64-nvidia-cuda", f"-march={target}", "-S", level, *exact)
    execute(folder, *device, "-emit-llvm", "k.c", "-o", "k.ll")
    mark_kernel(os.path.join(folder, "k.ll"))
    execute(folder, *device, "k.ll", "-o", "k.ptx")
    execute(folder, warpwatt, "run", "--gpu", GPUS[seed % len(GPUS)], "--ptx", "k.ptx", "--launch",
            "launch.xml", "--quiet", "--out", "results", *(["--no-timing"] if seed % 5 else []))
    with open(f"{folder}/host.bin", "rb") as host, open(f"{folder}/results/out.bin", "rb") as ours:
        if host.read() != ours.read():
            raise RuntimeError("results differ")


def main():
    tools = [os.path.abspath(path) for path in sys.argv[1:3]]
    first, count = (int(sys.argv[i]) if len(sys.argv) > i else d for i, d in ((3, 1), (4, 24)))
    failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(tools, seed, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as problem:
                kept = tempfile.mkdtemp(prefix=f"llvm-{seed}-")
                os.rename(folder, kept)
                os.mkdir(folder)
                print(f"program {seed}: {problem}; kept in {kept}", flush=True)
                failed += 1
    print(f"{count} programs, {failed} differ or do not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
