"""The peers that are written in Go: how they are built.

Their modules come through the Go module proxy, pinned by go.sum. The programs go to build-peers/.
Where there is no Go, or the proxy cannot be reached, LeftOut gives the reason in one line, and the
tests that need them are skipped. Run as a program, it builds them all.
"""

import fcntl
import hashlib
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "peers"
PROGRAMS = ROOT / "build-peers"

BUILD_S = 900


class LeftOut(Exception):
    """Why the peer cannot be had here."""


def go_program(name):
    """The program of tests/peers/NAME, built unless it is there already. Two test files may want the
    same at the same time, so one waits for the other."""
    folder, program = SOURCES / name, PROGRAMS / name
    sources = [*sorted(folder.glob("*.go")), folder / "go.mod", folder / "go.sum"]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    stamp = program.with_suffix(".built-from")
    PROGRAMS.mkdir(exist_ok=True)
    with program.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (program.exists() and stamp.exists() and stamp.read_text() == digest):
            build(folder, program)
            stamp.write_text(digest)
    return program


def build(folder, program):
    if not shutil.which("go"):
        raise LeftOut("there is no Go")
    command = ["go", "build", "-mod=readonly", "-trimpath", "-o", str(program), "."]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BUILD_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LeftOut(f"go build did not finish in {BUILD_S} s") from None
    if done.returncode != 0:
        raise LeftOut((done.stderr.strip().splitlines() or ["go build failed"])[-1])


if __name__ == "__main__":
    try:
        go_program("collector")
    except LeftOut as why:
        sys.exit(f"could not build the collector: {why}")
