"""Shared by the tests of the sandbox: whether it can run here, the probe, and what is left behind."""

import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import BINARY, ROOT, TestCase, run

CGROUPS = pathlib.Path("/sys/fs/cgroup")
NOT_REQUIRED = ["memory", "swap", "pids", "cpu", "io"]


@functools.cache
def why_not():
    """Why a sandbox cannot be made here; empty if it can."""
    outcome = run("doctor")
    missing = [line for line in outcome.stdout.splitlines() if line.startswith("MISSING")]
    if outcome.returncode == 0:
        return ""
    return missing[0] if missing else outcome.stderr


@functools.cache
def probe():
    """The path of the probe, built once for this process; None without a compiler."""
    compiler = next(filter(None, map(shutil.which, ("clang-19", "cc"))), None)
    if not compiler:
        return None
    folder = tempfile.mkdtemp(prefix="patchbay-probe-")
    os.chmod(folder, 0o755)
    path = pathlib.Path(folder) / "probe"
    sources = sorted(map(str, (ROOT / "tests" / "sandbox" / "probe").glob("*.c")))
    subprocess.run([compiler, "-static", "-O1", "-o", str(path), *sources], check=True)
    unittest.addModuleCleanup(shutil.rmtree, folder)
    return str(path)


def cgroups_of(*owners):
    """The cgroups of sandboxes that these processes have started, if they are still there."""
    numbers = os.stat("/proc/self/ns/pid").st_ino
    names = tuple(f"patchbay_{numbers}-{owner}-" for owner in owners)
    # Others come and go meanwhile, which walk() does not mind.
    return [
        os.path.join(folder, name)
        for folder, below, _ in os.walk(CGROUPS)
        for name in below
        if name.startswith(names)
    ]


# A process that loses its parent becomes our child, which distinguishes it from those of other tests.
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def our_descendants():
    """Every process that we started, directly or indirectly."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            about = (folder / "stat").read_text(encoding="latin-1")
        except OSError:
            continue
        parents[int(folder.name)] = int(about.rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def our_helpers():
    """Those of them that run the agent: inside sandboxes, and their watchers."""
    own = pathlib.Path(BINARY).parent / "patchbay-agent"
    found = []
    for process in our_descendants():
        try:
            if os.path.samefile(f"/proc/{process}/exe", own):
                found.append(process)
        except OSError:
            continue
    return found


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def our_guests():
    """The first processes in sandboxes."""
    return [pid for pid in our_helpers() if command_of(pid).startswith(b"/run/patchbay-agent\0")]


def our_watchers():
    """The processes that clear up after sandboxes."""
    return [pid for pid in our_helpers() if name_of(pid) == "sandbox-watcher"]


def name_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def processes_with(text):
    """Our descendants with `text` in their command lines. Other tests may run the same commands."""
    return [process for process in our_descendants() if text.encode() in command_of(process)]


def as_user(command, user=61500):
    """`command` as an ordinary user that owns nothing else."""
    return ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", *command]


class SandboxCase(TestCase):
    needs_isolation = True  # Else it is about what is around sandboxes.

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.needs_isolation and why_not():
            raise unittest.SkipTest(f"no sandbox here: {why_not()}")

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        os.chmod(self.folder, 0o755)

    def settings(self, text):
        path = self.folder / "sandbox.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def sandbox(self, *command, settings="", user=None, env=None, timeout=60):
        """Runs a program in a sandbox; gives the CompletedProcess."""
        command_line = [BINARY, "sandbox", "-c", self.settings(settings or "{}"), "--", *command]
        return subprocess.run(
            as_user(command_line) if user else command_line,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            check=False,
        )
