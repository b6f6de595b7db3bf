#!/usr/bin/env python3
"""Runs a folder of built CUDA programs, each with a time limit, and says what became of each.

try_programs.py PROGRAMS TABLE --out DIR [--gpu NAME] [--limit SECONDS] [--warpwatt FILE] [-- OPTIONS of `warpwatt run`]

TABLE has a line for each program, words as a shell reads them, # begins a comment:

    NAME FILE ARGUMENTS...    FILE below PROGRAMS; it runs in its own folder
    NAME - WHY                not run, for that reason

DIR gets a folder for each program (stdout, stderr, results, verdict.json) and verdicts.md, a table of all. A program whose
verdict.json is there is not run again, so that a stopped trial goes on where it was.
"""
import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

PASSES, ENDS, FAILS, REFUSED = "passes", "ends", "fails its own check", "refused"
TOO_LONG, CRASHED, NOT_RUN = "too long", "crashed", "not run"
VERDICTS = (PASSES, ENDS, FAILS, REFUSED, TOO_LONG, CRASHED, NOT_RUN)

# What programs print of their own checks. A count of none ("0 errors", "failed: 0") is no failure.
NONE_WRONG = re.compile(r"\b(no|0+|without) +(errors?|fail\w*|mismatch\w*|incorrect)\b|\b(errors?|fail\w*|mismatch\w*)\b *[:=] *0+(?![.\d]*[1-9])\b", re.I)
WRONG = re.compile(r"\bfail(ed|ure|s)?\b|\bmismatch(es|ed)?\b|\bincorrect\b|\bwrong (result|answer)s?\b|\bverification error\b", re.I)
RIGHT = re.compile(r"\bpass(ed|es)?\b|\bsuccess(ful|fully)?\b|\bcorrect\b|\bverified\b|\bresults? match", re.I)
# A call, an instruction or a kind of program that cannot be run is named on stderr in one of these forms.
NAMED = re.compile(r"(\S+) (?:of \S+ )?is not (?:implemented|simulated)|(\S[^\n]*?)\.? \[EUNSUP\]|(a module of machine code cannot be loaded)")


def read_table(path):
    """Lines of the table as (name, words); the first that has no sense ends the trial."""
    rows, seen = [], set()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                words = shlex.split(line, comments=True)
            except ValueError as why:
                sys.exit(f"{path}:{number}: {why}")
            if not words:
                continue
            if len(words) < 2:
                sys.exit(f"{path}:{number}: expected NAME FILE ARGUMENTS or NAME - WHY")
            if not re.fullmatch(r"[\w.+-]+", words[0]) or words[0].startswith("."):
                sys.exit(f"{path}:{number}: '{words[0]}' cannot be the name of a folder")
            if words[0] in seen:
                sys.exit(f"{path}:{number}: a second '{words[0]}'")
            seen.add(words[0])
            rows.append((words[0], words[1:]))
    return rows


def end_session(leader):
    """Ends every process of a session that began here: a program may have started others in groups of their own."""
    for sort in (signal.SIGTERM, signal.SIGKILL):
        left = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and session_of(int(pid)) == leader]
        for pid in left:
            try:
                os.kill(pid, sort)
            except ProcessLookupError:
                pass
        if left and sort == signal.SIGTERM:
            time.sleep(1)


def session_of(pid):
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return -1


def run(command, folder, where, limit):
    """Exit code, or None where the limit ended it, and seconds."""
    began = time.monotonic()
    with open(os.path.join(where, "stdout"), "wb") as out, open(os.path.join(where, "stderr"), "wb") as err:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_session(child.pid)
            child.wait()
    return code, time.monotonic() - began


def tail(path, most=1 << 20):
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - most))
        return file.read().decode("utf-8", "replace")


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("note: ")]
    return lines[-1][:160] if lines else ""


def wrong_line(text):
    """The first line by which a program says that its results are wrong."""
    return next((line.strip()[:160] for line in text.splitlines() if WRONG.search(NONE_WRONG.sub("", line))), "")


def judge(code, out, err, limit):
    """(verdict, detail) of a run from its exit code and what it printed."""
    if code is None:
        return TOO_LONG, f"more than {limit} s"
    names = sorted({next(filter(None, found)) for found in NAMED.findall(err)})
    ended = re.search(r"ended by signal \d+ \(([^)]*)\)", err)
    wrong = wrong_line(out) or wrong_line(re.sub(r"(?m)^(warpwatt|error|note|memcheck)\b.*$", "", err))
    bad = ended or code != 0 or wrong
    if names and bad:
        return REFUSED, ", ".join(names)
    if ended:
        return CRASHED, ended.group(1)
    if wrong:
        return FAILS, wrong
    if code != 0:
        return FAILS, f"exit code {code}: {last_line(err) or last_line(out)}"
    return (PASSES, "") if RIGHT.search(out) or RIGHT.search(err) else (ENDS, "exit code 0, prints no check")


def try_one(options, name, words):
    """What is written of one program."""
    where = os.path.join(options.out, name)
    os.makedirs(where, exist_ok=True)
    if words[0] == "-":
        return {"verdict": NOT_RUN, "detail": " ".join(words[1:]), "seconds": 0.0}
    program = os.path.abspath(os.path.join(options.programs, words[0]))
    if not os.access(program, os.X_OK) or os.path.isdir(program):
        return {"verdict": NOT_RUN, "detail": f"{words[0]} is not there", "seconds": 0.0}
    command = [options.warpwatt, "run", "--gpu", options.gpu, "--out", os.path.abspath(os.path.join(where, "results")), "--force",
               *options.options, "--", program, *words[1:]]
    code, seconds = run(command, os.path.dirname(program), where, options.limit)
    verdict, detail = judge(code, tail(os.path.join(where, "stdout")), tail(os.path.join(where, "stderr")), options.limit)
    return {"verdict": verdict, "detail": detail, "seconds": round(seconds, 1), "arguments": words[1:], "exit_code": code}


def write_whole(path, text):
    """A file that is there wholly or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def table(results):
    """Every program in a line, and how many there are of each verdict."""
    cell = lambda text: text.replace("|", "\\|").replace("\n", " ")
    lines = ["| program | verdict | what is missing | seconds |", "|---|---|---|---|"]
    lines += [f"| {name} | {r['verdict']} | {cell(r['detail'])} | {r['seconds']} |" for name, r in results]
    counts = {v: sum(r["verdict"] == v for _, r in results) for v in VERDICTS}
    lines += ["", ", ".join(f"{n} {v}" for v, n in counts.items() if n > 0)]
    return "\n".join(lines) + "\n"


def arguments():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("table")
    parser.add_argument("--out", required=True)
    parser.add_argument("--gpu", default="a100")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each program")
    parser.add_argument("--warpwatt", default="warpwatt")
    options = parser.parse_args(words[:at])
    options.options = words[at + 1:]
    if os.path.dirname(options.warpwatt):
        options.warpwatt = os.path.abspath(options.warpwatt)
    return options


def main():
    options = arguments()
    results = []
    for name, words in read_table(options.table):
        kept = os.path.join(options.out, name, "verdict.json")
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                result = json.load(file)
        else:
            result = try_one(options, name, words)
            write_whole(kept, json.dumps(result) + "\n")
            print(f"{name}: {result['verdict']}" + (f": {result['detail']}" if result["detail"] else ""), flush=True)
        results.append((name, result))
    write_whole(os.path.join(options.out, "verdicts.md"), table(results))
    print(table(results).splitlines()[-1])


main()
