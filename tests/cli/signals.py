#!/usr/bin/env python3
"""Does a command that is told to end leave nothing behind, at whatever moment it is told?

signals.py WARPWATT PROGRAM SIGNALS [SEED]: each of run, run -- PROGRAM, sweep, report and calibrate gets SIGNALS signals (TERM,
HUP, INT and KILL in turn) at random moments of its time. Afterwards no process, no temporary file and no half result is there;
after KILL, no process and no half result, and the same command once more leaves nothing of what lay there."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

warpwatt, program, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]
MARK = "warpwatt-signals-%d" % os.getpid()
work = tempfile.mkdtemp(prefix=MARK)
temporary = tempfile.mkdtemp(prefix=MARK)
failures = []


def fail(what):
    failures.append(what)
    print("FAILED:", what, flush=True)


def processes():
    """Those that a command of this test started, or that their command line gives away."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if ("WARPWATT_SIGNALS_TEST=%s" % MARK).encode() in f.read() and int(pid) != os.getpid():
                    with open("/proc/%s/stat" % pid) as g:
                        if g.read().rsplit(")", 1)[1].split()[0] != "Z":
                            found.append(pid)
        except OSError:
            pass
    return found


def gone():
    """Whether all have ended, given a moment."""
    for _ in range(100):
        if not processes():
            return True
        time.sleep(0.02)
    return False


def temporaries(folder):
    """What is left: all that lies where temporary files go, and what is half written in the folder."""
    found = [os.path.join(temporary, f) for f in os.listdir(temporary)]
    for root, dirs, files in os.walk(folder):
        found += [os.path.join(root, d) for d in dirs if ".writing-" in d or d.endswith(".partial")]
        found += [os.path.join(root, f) for f in files if f.endswith(".tmp") or f == ".warpwatt-replacing"]
    return found


def run(command, **more):
    environment = dict(os.environ, WARPWATT_SIGNALS_TEST=MARK, TMPDIR=temporary)
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, cwd=work, **more)


def whole(folder):
    """A result that is there can be read, and says if it lacks something."""
    if os.path.exists(folder + "/kernels.csv"):
        check = subprocess.run([warpwatt, "analyze", "metrics", folder], capture_output=True)
        if check.returncode != 0:
            fail("%s is half a result: %s" % (folder, check.stderr.decode()[:200]))


class Command:
    def __init__(self, name, line, out, judge, again=None, codes=()):
        self.name, self.line, self.out, self.judge, self.again = name, line, out, judge, again
        self.codes = codes
        start = time.monotonic()
        self.clean()
        child = run(self.line)
        err = child.communicate()[1].decode()
        self.seconds = time.monotonic() - start
        if child.returncode not in (0,) + tuple(codes):
            fail("%s does not run by itself: %d %s" % (name, child.returncode, err))
        if temporaries(work):
            fail("%s leaves %s by itself" % (name, temporaries(work)))

    def clean(self):
        for path in self.out:
            if os.path.isdir(work + "/" + path):
                shutil.rmtree(work + "/" + path)
            elif os.path.exists(work + "/" + path):
                os.remove(work + "/" + path)

    def once(self, number):
        if self.again is None or number % 5 == 0:
            self.clean()
        child = run(self.line)
        moment = random.random() * self.seconds * 1.05
        time.sleep(moment)
        told = child.poll() is None
        child.send_signal(number_of(number))
        try:
            err = child.communicate(timeout=30)[1].decode()
        except subprocess.TimeoutExpired:
            child.kill()
            fail("%s: does not end by %s after %.3f s" % (self.name, number_of(number).name, moment))
            return
        what = "%s, %s after %.3f of %.3f s" % (self.name, number_of(number).name, moment, self.seconds)
        if not gone():
            fail("%s: processes %s are left" % (what, processes()))
            for pid in processes():
                os.kill(int(pid), signal.SIGKILL)
        code = child.returncode if child.returncode >= 0 else 128 - child.returncode
        if code not in (0, 128 + number_of(number)) + tuple(self.codes):
            fail("%s: exit code %d, %s" % (what, code, err[:300]))
        self.judge(what)
        if number_of(number) == signal.SIGKILL:
            self.clean_again()
        if told and temporaries(work):
            fail("%s: %s are left" % (what, temporaries(work)))
            for path in temporaries(work):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def clean_again(self):
        """The next call clears what a killed one left."""
        child = run(self.again or self.line)
        err = child.communicate()[1].decode()
        if child.returncode not in (0,) + tuple(self.codes):
            fail("%s: not again after KILL: %s" % (self.name, err[:300]))


def number_of(number):
    return SIGNALS[number % len(SIGNALS)]


def judge_page(what):
    page = os.path.exists(work + "/pages/page.html")
    beside = [f for f in os.listdir(work + "/pages") if f == "page-files"] if os.path.isdir(work + "/pages") else []
    if beside and not page:
        fail("%s: companions without a page" % what)


def judge_sweep(what):
    for at in ["base", "other"]:
        for run_ in os.listdir(work + "/swept/" + at) if os.path.isdir(work + "/swept/" + at) else []:
            whole(work + "/swept/%s/%s" % (at, run_))


def main():
    subprocess.run([warpwatt, "run", "--gpu", "gtx480", "--workload", "vectoradd:small,scan:small", "--quiet", "--out", work + "/base"], check=True)
    with open(work + "/measured.csv", "w") as f:
        f.write("activity,kernel,component,measured,sigma,source\n")
        for i in range(60):
            f.write("rates,fp32_fma=0.%d core_mhz=%d,RF,2.50 pJ/sm.rf.read.lanes + 2.14 pJ/sm.rf.write.lanes,0.3,test\n" % (10 + i, 1000 + i))
    with open(work + "/sweep.xml", "w") as f:
        f.write('<sweep name="signals"><configuration name="base" gpu="gtx480"/><configuration name="other" gpu="gtx580"/>'
                '<workload name="vectoradd" size="small"/><workload name="scan" size="small"/></sweep>')
    commands = [
        Command("run", [warpwatt, "run", "--gpu", "gtx480", "--workload", "vectoradd:small,scan:small,bfs:small", "--out", "ran", "--force"],
                ["ran"], lambda what: whole(work + "/ran")),
        Command("run -- PROGRAM", [warpwatt, "run", "--gpu", "gtx580", "--out", "program", "--force", "--", "/bin/sh", "-c",
                                   "%s stored; sleep 0.2 & %s lz4; wait" % (program, program)],
                ["program"], lambda what: whole(work + "/program")),
        Command("sweep", [warpwatt, "sweep", "sweep.xml", "--out", "swept", "--jobs", "2"], ["swept"], judge_sweep,
                again=[warpwatt, "sweep", "sweep.xml", "--out", "swept", "--jobs", "2"]),
        Command("report", [warpwatt, "report", "base", "--out", "pages/page.html"], ["pages"], judge_page),
        Command("calibrate", [warpwatt, "calibrate", "measured.csv", "--gpu", "qv100", "--uncertainty", "sigma.csv"], ["sigma.csv"],
                lambda what: None),
    ]
    for command in commands:
        for number in range(count):
            command.once(number)
        print("%s: %d signals within %.2f s" % (command.name, count, command.seconds), flush=True)
    # A sweep that was told to end any number of times completes.
    if run(commands[2].line).wait() != 0:
        fail("the sweep does not complete")
    status = subprocess.run([warpwatt, "sweep", "sweep.xml", "--out", "swept", "--status", "--json"], capture_output=True, cwd=work)
    if b'"done": 2' not in status.stdout or status.returncode != 0:
        fail("the sweep is not whole: %s" % status.stdout.decode())


try:
    main()
finally:
    shutil.rmtree(work)
    shutil.rmtree(temporary)
sys.exit(1 if failures else 0)
