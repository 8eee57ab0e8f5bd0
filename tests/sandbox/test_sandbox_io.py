"""Disk bandwidth of a sandbox: the limits that the kernel has, that programs are subject to them,
and what is reported."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, main, run, wait_until
from sandbox_case import CGROUPS, SandboxCase, as_user, cgroups_of
from sandbox_tool_case import ToolCase

PYTHON = "/usr/bin/python3"
BOUNDS = {"read": 1 << 20, "write": 2 << 20, "reads": 300, "writes": 400}
# The same as settings.
SETTINGS = dict(
    zip(("max_read_bps", "max_write_bps", "max_read_iops", "max_write_iops"), BOUNDS.values())
)
LIMITS = f"limits: {{ io: {json.dumps(SETTINGS)} }}"
NOTHING = json.dumps(dict.fromkeys(SETTINGS, 0))

# Of each version: the file in which a bound is found, and how it is written there.
FILES = {
    "read": ("blkio.throttle.read_bps_device", "rbps"),
    "write": ("blkio.throttle.write_bps_device", "wbps"),
    "reads": ("blkio.throttle.read_iops_device", "riops"),
    "writes": ("blkio.throttle.write_iops_device", "wiops"),
}

# Reads a file past the page cache, and then waits.
READ_DIRECTLY = """
import mmap, os, sys
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
space = mmap.mmap(-1, 65536)
while os.readv(file, [space]): pass
print("read", flush=True)
sys.stdin.read()
"""


class IoCase(SandboxCase):
    def setUp(self):
        super().setUp()
        # The program that is tested, since the folder for temporary files is in memory on many machines.
        self.finding = self.examined(f"read: [{BINARY}]")
        self.disks = self.numbers(self.finding)
        if not self.finding["ok"] or not self.disks:
            self.skipTest(f"left out: {self.finding['detail']}")

    def examined(self, settings):
        """The doctor's report on the limit."""
        done = run("doctor", "-c", self.settings(settings), "--json")
        return self.about_io(done.stdout)

    @staticmethod
    def about_io(report):
        findings = json.loads(report)["sandbox"]["findings"]
        return next(one for one in findings if one["name"] == "limit io")

    @staticmethod
    def numbers(finding):
        names = finding["detail"].partition(";")[0].split(", ")
        files = [pathlib.Path("/sys/block") / name / "dev" for name in names]
        return [file.read_text(encoding="ascii").strip() for file in files if file.is_file()]

    def begin(self, *command, settings):
        """A program in a sandbox that ends with its input."""
        process = self.enterContext(
            subprocess.Popen(
                [BINARY, "sandbox", "-c", self.settings(settings), "--", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def cgroup(process):
        """The folder of its cgroup that is about disks."""
        for folder in map(pathlib.Path, cgroups_of(process.pid)):
            if any((folder / name).exists() for name in ("io.max", FILES["read"][0])):
                return folder
        raise AssertionError("no cgroup of this sandbox is about disks")

    @staticmethod
    def io_limits(folder, disk):
        """The kernel's limits for `disk`."""
        unified = folder / "io.max"
        if unified.exists():
            lines = [line.split() for line in unified.read_text(encoding="ascii").splitlines()]
            parts = next((dict(p.split("=") for p in line[1:]) for line in lines if line[0] == disk), {})
            found = {name: parts.get(key, "max") for name, (_, key) in FILES.items()}
        else:
            found = {}
            for name, (file, _) in FILES.items():
                lines = (folder / file).read_text(encoding="ascii").splitlines()
                found[name] = dict(line.split() for line in lines).get(disk, "max")
        return {name: int(value) for name, value in found.items() if value != "max"}


class Io(IoCase):
    def test_the_kernel_has_the_limits(self):
        process = self.begin("/bin/sh", "-c", "echo up; cat", settings=LIMITS)
        self.assertEqual(process.stdout.readline(), "up\n")
        folder = self.cgroup(process)
        for disk in self.numbers(self.examined(LIMITS)):
            self.assertEqual(self.io_limits(folder, disk), BOUNDS)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        wait_until(lambda: not cgroups_of(process.pid), "the cgroups to be gone")

    def test_there_is_a_default_limit(self):
        process = self.begin("/bin/sh", "-c", "echo up; cat", settings="{}")
        process.stdout.readline()
        self.assertEqual(set(self.io_limits(self.cgroup(process), self.disks[0])), set(BOUNDS))
        process.communicate()

        free = f"limits: {{ io: {NOTHING} }}"
        process = self.begin("/bin/sh", "-c", "echo up; cat", settings=free)
        process.stdout.readline()
        self.assertEqual(self.io_limits(self.cgroup(process), self.disks[0]), {})
        process.communicate()
        finding = self.examined(free)
        self.assertEqual((finding["ok"], finding["needed"]), (False, False))

    def test_what_a_program_reads_goes_through_it(self):
        # Not the one on bytes, or it would take its time.
        settings = f"read: [{BINARY}]\nlimits: {{ io: {{ max_read_bps: 0, max_read_iops: 5000 }} }}"
        process = self.begin(PYTHON, "-c", READ_DIRECTLY, BINARY, settings=settings)
        self.assertEqual(process.stdout.readline(), "read\n")
        folder = self.cgroup(process)
        size = os.path.getsize(BINARY)
        self.assertGreaterEqual(self.bytes_read(folder), size // 4096 * 4096)
        process.communicate()

    @staticmethod
    def bytes_read(folder):
        """Of all disks, as the cgroup has counted them."""
        stat = folder / "io.stat"
        if stat.exists():
            fields = stat.read_text(encoding="ascii").split()
            return sum(int(field.removeprefix("rbytes=")) for field in fields if field.startswith("rbytes="))
        lines = (folder / "blkio.throttle.io_service_bytes").read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[2]) for line in lines if " Read " in line)

    def test_what_is_shared_is_bounded_too(self):
        """A file system on a disk of its own, by a loop device."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount")
        image, point = self.folder / "image", self.folder / "point"
        point.mkdir()
        with open(image, "wb") as file:
            file.truncate(8 << 20)
        made = subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True, check=False)
        mounted = made.returncode == 0 and subprocess.run(
            ["mount", "-o", "loop", str(image), str(point)], capture_output=True, check=False
        ).returncode == 0
        if not mounted:
            self.skipTest("left out: no loop device can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(point)], check=True)
        number = os.stat(point).st_dev
        disk = f"{os.major(number)}:{os.minor(number)}"
        # Also what is mounted beneath what is shared.
        for shared in (point, self.folder):
            settings = f"read: [{shared}]\n{LIMITS}"
            process = self.begin("/bin/sh", "-c", "echo up; cat", settings=settings)
            process.stdout.readline()
            self.assertEqual(self.io_limits(self.cgroup(process), disk), BOUNDS)
            process.communicate()

    def test_a_user_that_cannot_set_it(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        lenient = "limits: { not_required: [memory, swap, pids, cpu] }"
        refused = self.sandbox("/bin/echo", "ran", settings=lenient, user=True)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("the limit 'io' cannot be set here", refused.stderr)
        self.assertIn("not_required: [io]", refused.stderr)
        report = subprocess.run(
            as_user([BINARY, "doctor", "-c", self.settings(lenient), "--json"]),
            capture_output=True,
            text=True,
            check=False,
        )
        finding = self.about_io(report.stdout)
        self.assertEqual((report.returncode, finding["ok"], finding["needed"]), (1, False, True))
        self.assertIn("the limit 'io' cannot be set here", finding["detail"])
        # Where none is configured, none is required.
        free = f"limits: {{ io: {NOTHING}, not_required: [memory, swap, pids, cpu] }}"
        self.assertEqual(self.sandbox("/bin/echo", "ran", settings=free, user=True).stdout, "ran\n")

    def test_wrong_settings(self):
        for value, path in (
            ("{ max_read_bps: fast }", "limits.io.max_read_bps"),
            ("{ max_read_iops: -1 }", "limits.io.max_read_iops"),
        ):
            refused = self.sandbox("/bin/true", settings=f"limits: {{ io: {value} }}")
            self.assertEqual(refused.returncode, 3)
            self.assertIn(path, refused.stderr)


class Able(SandboxCase):
    needs_isolation = False

    def test_a_machine_that_can_does(self):
        """Else all other tests would be left out if nothing set the bound any more."""
        throttle = CGROUPS / "blkio" / FILES["read"][0]
        if os.geteuid() != 0 or not os.access(throttle, os.W_OK) or not os.major(os.stat("/usr").st_dev):
            self.skipTest("left out: not root, no cgroups of version 1, or /usr is on no disk")
        self.assertTrue(IoCase.about_io(run("doctor", "--json").stdout)["ok"])


class Answers(ToolCase):
    def test_active_limits_are_reported(self):
        self.start(pool={"size": 0}, limits={"io": BOUNDS})
        made = self.use("create_sandbox")
        self.assertEqual(made["limits"]["io"], BOUNDS)
        self.assertNotIn("absent", made["limits"])
        self.shell(made["sandbox_id"], "true")
        line = lambda: [one for one in self.gateway.stderr.lines if '"sandbox run"' in one]
        wait_until(line, "the line about the run")
        self.assertEqual(json.loads(line()[0])["io"], "read 1MiB write 2MiB reads 300 writes 400")


if __name__ == "__main__":
    main()
