"""The command `warpwatt` of a wheel: the program that lies beside the module."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).resolve().parent / "bin" / "warpwatt"
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"warpwatt: {program}: {error.strerror}")
