"""progress.py WARPWATT PROGRAM: is a launch's progress shown on a terminal while it runs, and nowhere else?"""
import os
import pty
import re
import subprocess
import sys
import threading

warpwatt, program = sys.argv[1:]


def run(options, terminal=True):
    """What a program that launches something long leaves on stdout and stderr."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    shown = []

    def read():
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the terminal's other end is closed
                part = b""
            if not part:
                return
            shown.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run([warpwatt, "run", "--gpu", "gtx480", *options, "--", program, "longer"], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    reader.join()
    os.close(ours)
    assert done.returncode == 0, (done, shown)
    return done.stdout.decode(), b"".join(shown).decode()


out, err = run([])
lines = re.findall(r"\r\x1b\[K([^\r\n]*)", err)
launch = os.path.basename(program) + " launch "
assert any(re.fullmatch(re.escape(launch) + r"\d+: (\d+ % )?[0-9.]+ ?[kMG]? ?warp inst, .*/s.*", line) for line in lines), (lines, err)
assert lines[-1] == "", "the last line stays"
text = re.sub(r"\r\x1b\[K[^\r\n]*", "", err)
assert "warp inst, " not in text, text
assert "warp inst, " not in out, out
for options, terminal in ((["--quiet"], True), (["--no-timing"], True), ([], False)):
    out, err = run(options, terminal)
    assert "warp inst, " not in err + out, (options, err)
