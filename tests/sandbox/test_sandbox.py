"""The isolation itself, through `patchbay sandbox`: what a program in it cannot do, as root and as
an ordinary user; its limits; and that nothing remains of it."""

import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, ROOT, main, run, wait_until
from sandbox_case import (
    CGROUPS,
    NOT_REQUIRED,
    SandboxCase,
    as_user,
    cgroups_of,
    name_of,
    probe,
    processes_with,
)

PYTHON = "/usr/bin/python3"

# The output of an attempt that no privilege makes possible.
NOT_IN_THIS_KERNEL = {"ENOSYS", "EAFNOSUPPORT", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT", "EOPNOTSUPP"}

# Attempts that are not to succeed anywhere in a test, or cannot.
EXCUSED = {
    # They are about the machine that the test runs on.
    "restart", "set_time", "set_clock", "adjust_clock",
    # They want a swap area, a console, files that not every kernel has.
    "swap_on", "swap_off", "paste", "memory_of_kernel", "sysrq", "keys", "kernel_messages",
    "buses",
    # Impossible from inside a pid namespace.
    "kill_init",
    # They take CAP_SYS_RESOURCE, which root does not have everywhere.
    "memory_map", "user_namespaces", "spare_from_oom", "more_descriptors", "more_processes",
    "more_addresses", "larger_files", "core_files",
}


class Probe(SandboxCase):
    def outside(self):
        """A listener on loopback, one on an abstract socket and a process, all of this machine."""
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        abstract = self.enterContext(socket.socket(socket.AF_UNIX))
        name = f"patchbay-probe-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        return str(listener.getsockname()[1]), name, str(os.getpid())

    def assert_holds(self, settings="", user=None):
        if not probe():
            self.skipTest("no compiler for the probe")
        settings = f"read: [{json.dumps(probe())}]\n" + settings
        outcome = self.sandbox(
            probe(), *self.outside(), settings=settings, user=user, env={"CANARY": "1"}
        )
        verdicts = outcome.stdout.splitlines()
        self.assertGreater(len(verdicts), 60, outcome.stderr)
        broken = [line for line in verdicts[:-1] if ": " not in line]
        self.assertEqual(broken, [], "what got out")
        self.assertEqual(outcome.returncode, 0)

    def test_nothing_gets_out_as_root(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        self.assert_holds()

    def test_nothing_gets_out_as_a_user(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        self.assert_holds(f"limits: {{ not_required: {NOT_REQUIRED} }}", user=True)

    def test_nothing_gets_out_beside_the_proxy(self):
        self.assert_holds('egress: ["example.invalid"]')

    def test_each_attempt_is_able_to_succeed(self):
        """Where it is allowed, what the probe tries succeeds: else its verdicts would prove nothing."""
        if os.geteuid() != 0 or not probe():
            self.skipTest("not root, or no compiler for the probe")
        args = "unshare --mount --pid --fork --uts --ipc --net --kill-child".split()
        loose = subprocess.Popen(
            [*args, str(ROOT / "tests/sandbox/probe/loose.sh"), probe(), str(self.folder)],
            stdout=subprocess.PIPE,
            text=True,
        )
        verdicts = {}
        with loose:
            for line in loose.stdout:
                if "attempts" in line:
                    break
                name, _, verdict = line.partition(" ")
                verdicts[name] = verdict.strip()
            loose.kill()  # The first process in there has been stopped by an attempt.
        left = {name for name, verdict in verdicts.items() if verdict != "SUCCEEDED"}
        absent = {name for name in left if verdicts[name].rpartition(" ")[2] in NOT_IN_THIS_KERNEL}
        self.assertEqual(left - absent - EXCUSED, set(), verdicts)
        self.assertGreater(len(verdicts) - len(left), 140)


class Clocks(SandboxCase):
    def test_they_begin_with_the_sandbox(self):
        if not os.path.exists("/proc/self/ns/time"):
            self.skipTest("left out: no time namespaces in this kernel")
        code = """
import json, os, subprocess, time
start = subprocess.run(["ps", "-o", "lstart=", "-p", "1"], capture_output=True, text=True)
parsed = time.mktime(time.strptime(start.stdout.strip()))
print(json.dumps([time.clock_gettime(time.CLOCK_BOOTTIME), time.monotonic(), parsed, os.cpu_count()]))
"""
        before = time.time()
        lenient = f"limits: {{ not_required: {NOT_REQUIRED} }}"
        for user, settings in ((None, ""), (True, lenient)):
            with self.subTest(user=user):
                outcome = self.sandbox(PYTHON, "-c", code, settings=settings, user=user)
                boot, monotonic, started, processors = json.loads(outcome.stdout)
                # It has been up for less time than this test, and its programs agree on when it began.
                longest = time.time() - before + 1
                self.assertLess(boot, longest)
                self.assertLess(monotonic, longest)
                self.assertLess(abs(started - before), longest + 1)
                self.assertEqual(processors, os.cpu_count())


class Limits(SandboxCase):
    def python(self, code, limits):
        return self.sandbox(PYTHON, "-c", code, settings=f"limits: {{ {limits} }}")

    def test_a_fork_bomb_ends_at_its_limit(self):
        code = """
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        made += 1
except BlockingIOError:
    print(made)
"""
        made = int(self.python(code, "pids: 20").stdout)
        self.assertLessEqual(made, 22)
        self.assertGreater(made, 10)

    def test_memory(self):
        outcome = self.python("bytearray(512 << 20)", "memory: 64MiB")
        self.assertNotEqual(outcome.returncode, 0)
        self.assertEqual(self.python("bytearray(16 << 20)", "memory: 64MiB").returncode, 0)

    def test_files_in_memory_count_as_memory(self):
        code = "open('/workspace/big', 'wb').write(bytes(200 << 20))"
        outcome = self.python(code, "memory: 64MiB, disk: 1GiB")
        self.assertNotEqual(outcome.returncode, 0)

    def refusal(self, code, limits):
        outcome = self.python(code, limits)
        self.assertNotEqual(outcome.returncode, 0, outcome.stdout)
        return outcome.stderr

    def test_disk(self):
        for folder in ("/workspace", "/tmp", "/dev/shm"):
            code = f"""
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for i in range(10): open('{folder}/%d' % i, 'wb').write(bytes(1 << 20))"""
            self.assertIn("No space left", self.refusal(code, "max_disk_size: 4MiB"))

    def test_number_of_files(self):
        code = "for i in range(1000): open('/tmp/%d' % i, 'w')"
        self.assertIn("No space left", self.refusal(code, "max_files: 100"))
        code = "import os\nfor i in range(1000): os.mkdir('/workspace/%d' % i)"
        self.assertIn("No space left", self.refusal(code, "max_files: 100"))

    def test_open_files(self):
        code = "all = [open('/dev/null') for i in range(1000)]"
        self.assertIn("Too many open files", self.refusal(code, "max_open_files: 64"))

    def test_addresses(self):
        code = "import mmap; mmap.mmap(-1, 2 << 30)"
        self.assertIn("Cannot allocate memory", self.refusal(code, "max_address_space_size: 1GiB"))

    def test_processor_time(self):
        outcome = self.sandbox(
            PYTHON, "-c", "while True: pass", settings="limits: { cpu_timeout: 1s }"
        )
        self.assertEqual(outcome.returncode, 128 + signal.SIGKILL)

    def test_time_on_the_clock(self):
        outcome = run("sandbox", "--timeout", "300ms", "--", "/bin/sleep", "1000")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("ended after 300ms", outcome.stderr)


class Refusal(SandboxCase):
    """Without a limit that is required nothing is run."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can become a user who cannot set limits")

    def test_reports_which_limit_is_missing(self):
        outcome = self.sandbox("/bin/echo", "ran", user=True)
        self.assertNotEqual(outcome.returncode, 0)
        self.assertEqual(outcome.stdout, "")
        # All of them at once, and what would do without them.
        self.assertRegex(outcome.stderr, r"the limit 'memory' cannot be set here \(nor can '.*'io'\): ")
        lacking = outcome.stderr.rpartition("not_required: [")[2].partition("]")[0].split(", ")
        self.assertLessEqual({"memory", "pids", "cpu", "io"}, set(lacking))
        self.assertLessEqual(set(lacking), {*NOT_REQUIRED})

    def test_each_limit_by_itself(self):
        for missing in ("memory", "pids", "cpu", "io"):
            others = [name for name in NOT_REQUIRED if name != missing]
            outcome = self.sandbox(
                "/bin/echo", "ran", settings=f"limits: {{ not_required: {others} }}", user=True
            )
            self.assertEqual(outcome.stdout, "")
            self.assertIn(f"the limit '{missing}' cannot be set", outcome.stderr)

    def test_runs_if_none_is_required(self):
        settings = f"limits: {{ not_required: {NOT_REQUIRED} }}"
        outcome = self.sandbox("/bin/echo", "ran", settings=settings, user=True)
        self.assertEqual(outcome.stdout, "ran\n", outcome.stderr)

    def test_the_doctor_reports_it_beforehand(self):
        outcome = subprocess.run(
            as_user([BINARY, "doctor", "--json"]), capture_output=True, text=True, check=False
        )
        self.assertEqual(outcome.returncode, 1)
        findings = {one["name"]: one for one in json.loads(outcome.stdout)["sandbox"]["findings"]}
        for name in ("memory", "pids", "cpu", "io"):
            self.assertFalse(findings[f"limit {name}"]["ok"])
            self.assertIn(f"'{name}' cannot be set here", findings[f"limit {name}"]["detail"])
        self.assertTrue(findings["bubblewrap"]["ok"])

    def test_a_missing_bubblewrap(self):
        outcome = self.sandbox("/bin/echo", "ran", settings="bwrap: /nonexistent/bwrap")
        self.assertEqual(outcome.stdout, "")
        self.assertIn("apt-get install bubblewrap", outcome.stderr)


class Delegated(SandboxCase):
    """An ordinary user that owns a cgroup has all limits."""

    USER = 61500

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can give a cgroup away")
        self.given = []
        self.addCleanup(self.take_back)
        for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("memory", "pids", "cpu", "cpu,cpuacct", "blkio"):
                folder = CGROUPS / controllers / path.lstrip("/") / f"given-{os.getpid()}"
                folder.mkdir()
                self.given.append(folder)
                for one in (folder, folder / "cgroup.procs"):
                    os.chown(one, self.USER, self.USER)
        if len(self.given) != 4:
            self.skipTest("left out: no cgroups of version 1 to give away")

    def take_back(self):
        for folder in self.given:
            wait_until(lambda one=folder: removed(one), f"{folder} to be empty")

    def run_given(self, *command, settings):
        def enter():
            for folder in self.given:
                (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

        args = [BINARY, "sandbox", "-c", self.settings(settings), "--", *command]
        return subprocess.run(
            as_user(args, self.USER), preexec_fn=enter, capture_output=True, text=True, check=False
        )

    def test_memory(self):
        limits = "limits: { max_memory: 64MiB, max_pids: 20 }"
        outcome = self.run_given(PYTHON, "-c", "bytearray(512 << 20)", settings=limits)
        self.assertEqual(outcome.returncode, 128 + signal.SIGKILL, outcome.stderr)
        outcome = self.run_given(PYTHON, "-c", "bytearray(16 << 20)", settings=limits)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def test_processes(self):
        code = """
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        made += 1
except BlockingIOError:
    print(made)
"""
        outcome = self.run_given(PYTHON, "-c", code, settings="limits: { max_pids: 20 }")
        self.assertIn(int(outcome.stdout), range(10, 23), outcome.stderr)

    def test_the_probe(self):
        if not probe():
            self.skipTest("no compiler for the probe")
        outcome = self.run_given(probe(), settings=f"read: [{json.dumps(probe())}]")
        verdicts = outcome.stdout.splitlines()
        self.assertGreater(len(verdicts), 60, outcome.stderr)
        self.assertEqual([line for line in verdicts[:-1] if ": " not in line], [])


def removed(folder):
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


class Sharing(SandboxCase):
    def test_nothing_of_the_machine_is_seen(self):
        (self.folder / "secret").write_text("secret")
        outcome = self.sandbox("/bin/cat", str(self.folder / "secret"))
        self.assertNotEqual(outcome.returncode, 0)
        self.assertEqual(outcome.stdout, "")

    def test_read(self):
        (self.folder / "note").write_text("shared")
        settings = f"read: [{self.folder}]"
        outcome = self.sandbox("/bin/cat", str(self.folder / "note"), settings=settings)
        self.assertEqual(outcome.stdout, "shared")
        outcome = self.sandbox("/bin/touch", str(self.folder / "new"), settings=settings)
        self.assertIn("Read-only file system", outcome.stderr)

    def test_write(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        outcome = self.sandbox("/bin/touch", str(shared / "new"), settings=f"write: [{shared}]")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertNotEqual((shared / "new").stat().st_uid, 0)

    def test_what_cannot_be_shared(self):
        for path in ("/proc/1", "/sys", "/dev/mem", "/", "/tmp/../proc", "/nonexistent/folder"):
            outcome = self.sandbox("/bin/true", settings=f"read: [{path}]")
            self.assertEqual(outcome.returncode, 1)
            self.assertIn("cannot be shared", outcome.stderr)

    def test_network(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            code = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
            refused = self.sandbox(PYTHON, "-c", code)
            self.assertIn("Connection refused", refused.stderr)
            reached = self.sandbox(PYTHON, "-c", code, settings="network: host")
            self.assertEqual(reached.returncode, 0, reached.stderr)


class Leaving(SandboxCase):
    """Whatever process is killed, at any time: no process and no cgroup remains."""

    def setUp(self):
        super().setUp()
        self.started = []
        self.mark = f"{random.randrange(10**9, 10**10)}"

    def assert_gone(self):
        wait_until(lambda: not processes_with(self.mark), "the processes to be gone")
        wait_until(lambda: not cgroups_of(*self.started), "the cgroups to be gone")

    def start(self, *command):
        process = subprocess.Popen(
            [BINARY, "sandbox", "--", *(command or ("/bin/sleep", self.mark))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.started.append(process.pid)
        return process

    def inside(self):
        """The processes of the sandbox: bubblewrap's two and the program."""
        return [pid for pid in processes_with(self.mark) if os.readlink(f"/proc/{pid}/exe") != BINARY]

    def test_the_gateway_is_killed_at_any_moment(self):
        for step in range(30):
            process = self.start()
            threading.Event().wait(step * 0.003)
            process.kill()
            process.wait()
        self.assert_gone()

    def test_the_sandbox_is_killed(self):
        process = self.start()
        wait_until(lambda: len(self.inside()) >= 2, "the sandbox to run")
        os.kill(self.inside()[0], signal.SIGKILL)
        self.assertNotEqual(process.wait(), 0)
        self.assert_gone()

    def test_the_watcher_is_killed(self):
        process = self.start()
        wait_until(lambda: len(self.inside()) >= 2, "the sandbox to run")
        watchers = [
            pid
            for pid in processes_with("\0confine")
            if name_of(pid) == "sandbox-watcher" and parent_of(pid) in self.inside()
        ]
        self.assertEqual(len(watchers), 1)
        os.kill(watchers[0], signal.SIGKILL)
        process.terminate()
        process.wait()
        self.assert_gone()

    def test_interrupted(self):
        process = self.start()
        wait_until(lambda: len(self.inside()) >= 2, "the sandbox to run")
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assert_gone()

    def test_what_it_leaves_in_the_background(self):
        code = f"(setsid sleep {self.mark} &) ; (sleep {self.mark} &) ; true"
        self.assertEqual(self.start("/bin/sh", "-c", code).wait(), 0)
        self.assert_gone()


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


if __name__ == "__main__":
    main()
