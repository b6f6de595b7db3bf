"""commands.py WARPWATT SOURCE PAGE [--long]: does every command that a page tells to type do what the page says?

Runs the page's blocks of commands (```sh), in order, in one shell and a scratch folder that has the tree's documents, configurations and
validation tables, and those of ```python where numpy and pandas are. Words behind that say what is special: `long` (more than ten seconds of
processor time: only with --long), `elsewhere` (what this machine need not have, or takes as given: nvcc, root, a cluster, another build),
`fails` (may end with an error). A block ```text output tells what the block before it prints: each of its lines, in order, `…` for lines left
out; numbers as they stand, or within a share (`within=5%`)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

warpwatt, source, page = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
with_long = "--long" in sys.argv[4:]
MOST_S = 10  # of processor time, of a block that is not long
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


class Block:
    def __init__(self, line, words):
        self.line, self.words, self.text, self.output = line, words, [], None


def blocks_of(page):
    """Blocks of commands, each with the block of its output."""
    found, inside = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            if inside is not None:
                inside.text.append(line)
            continue
        if inside is not None:
            if inside.words[:1] in (["sh"], ["python"]):
                found.append(inside)
            elif inside.words[:2] == ["text", "output"]:
                assert found and found[-1].output is None, f"{page}:{inside.line}: output of no command"
                found[-1].output = inside
            inside = None
        else:
            inside = Block(number, line[3:].split())
    return found


def find_python():
    """An interpreter that has what the pages' programs import: this one, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, pandas"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


PYTHON = find_python()


def is_run(block):
    known = {"sh", "python", "long", "elsewhere", "fails"}
    assert set(block.words) <= known, f"{page}:{block.line}: {block.words}"
    if block.words[0] == "python" and PYTHON is None:
        return False
    return "elsewhere" not in block.words and (with_long or "long" not in block.words)


def script_of(blocks, log):
    """Each block in the same shell, its output in a file of its own, its processor time in another."""
    parts, python = [f"cd {log.parent}/tree"], []
    for block in blocks:
        out = log / f"{block.line}"
        if block.words[0] == "python":  # a program as a whole: with what stands before it
            python += block.text
            (log / f"{block.line}.py").write_text("\n".join(python))
            block.text = [f"{PYTHON} {log}/{block.line}.py"]
        parts += [f"echo {block.line} >{log}/at", "set +e" if "fails" in block.words else "set -e", f"{{ times >{out}.before"]
        parts += ["\n".join(block.text), f"}} >{out}.out 2>&1 </dev/null", f"times >{out}.after"]
    return "\n".join(parts + [f"echo end >{log}/at", ""])


def seconds(path):
    """User and system time of the shell's children, by what `times` printed."""
    last = path.read_text().splitlines()[-1]
    return sum(60 * int(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", last))


def alike(expected, got, within):
    """Whether a line is the one that the page has: its words, and its numbers to within a share."""
    plain = [re.sub(r"\s+", " ", NUMBER.sub("#", text)).strip() for text in (expected, got)]
    if plain[0] != plain[1]:
        return False
    for a, b in zip(NUMBER.findall(expected), NUMBER.findall(got)):
        x, y = float(a.replace(",", "")), float(b.replace(",", ""))
        if abs(x - y) > within * max(abs(x), abs(y)):
            return False
    return True


def compare(block, got):
    """What the page's output lacks in what was printed."""
    output = block.output
    share = [word for word in output.words if word.startswith("within=")]
    within = float(share[0][7:-1]) / 100 if share else 0
    lines, at = got.splitlines(), 0
    for expected in output.text:
        if expected.strip() in ("", "…"):
            continue
        while at < len(lines) and not alike(expected, lines[at], within):
            at += 1
        if at == len(lines):
            return f"{page}:{output.line}: not printed: {expected}\n" + got
        at += 1
    return ""


def main():
    blocks = [block for block in blocks_of(page) if is_run(block)]
    work = pathlib.Path(tempfile.mkdtemp())
    failures = []
    try:
        log, tree, home = work / "log", work / "tree", work / "home"
        for folder in (log, tree, home, work / "bin", work / "tmp"):
            folder.mkdir()
        for part in ("docs", "configs", "mech", "tests/validation", "python"):
            shutil.copytree(source / part, tree / part, symlinks=True)
        (work / "bin" / "warpwatt").symlink_to(warpwatt)
        environment = {"PATH": f"{work}/bin:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(work / "tmp"), "LC_ALL": "C.UTF-8",
                       "COLUMNS": "200", "WARPWATT_CONFIGS": str(source / "configs"), "PYTHONPATH": str(tree / "python"),
                       "WARPWATT_LIBRARY": str(warpwatt.parent.parent / "api" / "libwarpwatt.so.0")}
        done = subprocess.run(["bash", "-c", script_of(blocks, log)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        at = (log / "at").read_text().strip() if (log / "at").exists() else "start"
        for block in blocks:
            out = log / f"{block.line}.out"
            if str(block.line) == at:
                failures.append(f"{page}:{block.line}: ended with {done.returncode}\n" + out.read_text(errors="replace")[-3000:])
                break
            used = seconds(log / f"{block.line}.after") - seconds(log / f"{block.line}.before")
            print(f"{page.name}:{block.line}: {used:.1f} s")
            if used > 2 * MOST_S and "long" not in block.words:
                failures.append(f"{page}:{block.line}: {used:.1f} s of processor time and not marked as long")
            if block.output is not None:
                failures.append(compare(block, out.read_text(errors="replace")))
        if at == "start":
            failures.append(done.stdout.decode(errors="replace"))
    finally:
        shutil.rmtree(work)
    failures = [failure for failure in failures if failure]
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
