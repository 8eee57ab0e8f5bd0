"""A build for another processor works: `./dev cross arm64` runs this. The programs run under qemu-user.

The programs are of that processor, the unit tests pass, and the gateway starts, answers a call of a built-in tool and
stops. Unit tests that need what qemu-user lacks skip themselves; they are listed with the reason, and run in `./dev test`
on a machine of that processor.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PATCHBAY_BUILD", ROOT / "build-arm64"))
EM_AARCH64 = 183
STARTED_S = 60
# openat2 is not implemented in qemu-user 7.2. Any other suite that is skipped is a surprise.
MAY_SKIP = {"WorkspaceTest"}


def emulator():
    """The command that runs a program of the target, as the configuration of the build has it."""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    qemu, root = (re.search(rf"^{name}:\w+=(.+)$", cache, re.M) for name in ("PATCHBAY_QEMU", "PATCHBAY_SYSROOT"))
    if not qemu or qemu[1].endswith("-NOTFOUND"):
        raise AssertionError("no qemu-aarch64: apt-get install qemu-user-static, then configure again")
    return [qemu[1], "-L", root[1]]


def run(*args, **options):
    return subprocess.run([*emulator(), *map(str, args)], capture_output=True, text=True, check=False, **options)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cross(unittest.TestCase):
    def test_programs_are_of_the_target(self):
        for name in ("patchbay", "patchbay-agent", "unit_tests"):
            header = (BUILD / name).read_bytes()[:20]
            self.assertEqual((header[:5], int.from_bytes(header[18:20], "little")), (b"\x7fELF\x02", EM_AARCH64), name)

    def test_version(self):
        done = run(BUILD / "patchbay", "version", "--verbose")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^librdkafka +\d")

    def test_agent_needs_no_library(self):
        done = subprocess.run([emulator()[0], BUILD / "patchbay-agent", "--help"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("agent", done.stdout)

    def test_unit_tests(self):
        done = run(BUILD / "unit_tests", cwd=ROOT, timeout=1800)
        print(re.findall(r"\[=+\] .*ran.*", done.stdout)[-1:], flush=True)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-2000:])
        skipped = set(re.findall(r"^\[  SKIPPED \] (\S+)$", done.stdout, re.M))
        for reason in sorted(set(re.findall(r"Skipped\n(.+)", done.stdout))):
            print(f"skipped: {reason}", flush=True)
        self.assertLessEqual({name.split(".")[0] for name in skipped}, MAY_SKIP)

    def test_gateway_answers_a_call(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="patchbay-cross-")))
        port = free_port()
        (folder / "patchbay.yaml").write_text(
            f"listen: 127.0.0.1:{port}\nupstreams:\n  skills: {{ kind: builtin }}\n", encoding="utf-8")
        with open(folder / "log", "w", encoding="utf-8") as log:
            gateway = subprocess.Popen([*emulator(), BUILD / "patchbay", "serve", "-c", "patchbay.yaml"], cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(lambda: gateway.poll() is None and gateway.kill())
        answer = self.first_answer(gateway, port, folder)
        self.assertEqual(answer.stdout.strip(), "14", answer.stderr + (folder / "log").read_text(encoding="utf-8"))
        gateway.send_signal(signal.SIGTERM)
        self.assertEqual(gateway.wait(STARTED_S), 0, (folder / "log").read_text(encoding="utf-8"))

    def first_answer(self, gateway, port, folder):
        end = time.monotonic() + STARTED_S
        while True:
            answer = run(BUILD / "patchbay", "call", f"http://127.0.0.1:{port}/mcp", "skills__calculate",
                         "expression=2 + 3 * 4", cwd=folder)
            if answer.returncode == 0 or gateway.poll() is not None or time.monotonic() > end:
                return answer
            time.sleep(0.5)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
