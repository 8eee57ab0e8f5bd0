"""`patchbay chat`: goals typed at a prompt, from a pipe and on a terminal."""

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import BINARY, TIMEOUT, TestCase, clean_environment, fake, main, run, to_yaml


class Pipe(TestCase):
    def test_goals_line_by_line(self):
        done = run("chat", stdin="calculate: 12 / 4\n\nfoo\nexit\ncalculate: 1 + 1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout,
            "[CalculatorSkill] 3.0\n[ERROR] No skill found to handle goal: foo\n",
        )

    def test_steps_and_history(self):
        done = run("chat", stdin="calculate: 1 + 1 then echo: <{previous}>\nhistory\nquit\n")
        self.assertEqual(
            done.stdout.splitlines(),
            ["[CalculatorSkill] 2.0", "[EchoSkill] <2.0>",
             "   1  calculate: 1 + 1 then echo: <{previous}>", "   2  history"],
        )  # fmt: skip

    def test_the_end_of_the_input(self):
        done = run("chat", stdin="echo: no line break")
        self.assertEqual((done.returncode, done.stdout), (0, "[EchoSkill] no line break\n"))
        self.assertEqual(run("chat", stdin="").returncode, 0)

    def test_odd_input(self):
        done = run("chat", stdin="echo: " + "x" * 20_000 + "\r\necho: still here\r\n")
        self.assertEqual(
            done.stdout.splitlines(),
            ["[ERROR] 'goal' is longer than 10000 characters", "[EchoSkill] still here"],
        )

    def test_faults_of_the_configuration(self):
        self.assertEqual(run("chat", "-c", "missing.yaml", stdin="").returncode, 3)


class Terminal(TestCase):
    def setUp(self):
        self.master, slave = pty.openpty()
        self.addCleanup(os.close, self.master)
        self.process = subprocess.Popen(
            [BINARY, "chat"],
            stdin=slave, stdout=slave, stderr=subprocess.DEVNULL,
            env=clean_environment(TERM="dumb"), start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.addCleanup(self.end)
        self.seen = b""
        self.expect(b"You: ")

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def expect(self, wanted):
        deadline = time.monotonic() + TIMEOUT
        while wanted not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self.fail(f"{wanted!r} did not come: {self.seen!r}")
            self.seen += os.read(self.master, 4096)
        self.seen = self.seen.partition(wanted)[2]

    def type(self, data):
        os.write(self.master, data)

    def test_history_with_the_arrow_key(self):
        self.type(b"calculate: 6 * 7\r")
        self.expect(b"[CalculatorSkill] 42.0")
        self.expect(b"You: ")
        self.type("echo: né\r".encode())
        self.expect("[EchoSkill] né".encode())
        self.expect(b"You: ")
        self.type(b"\x1b[A\x1b[A\r")
        self.expect(b"[CalculatorSkill] 42.0")
        self.type(b"exit\r")
        self.assertEqual(self.process.wait(TIMEOUT), 0)

    def test_a_signal_ends_it(self):
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(TIMEOUT), 0)

    def test_a_key_ends_it_in_the_middle_of_a_line(self):
        self.type(b"calculate: 1")
        self.expect(b"calculate: 1")
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(TIMEOUT), 0)


class Upstreams(TestCase):
    def test_a_goal_that_runs_is_given_up(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "chat.yaml")
            path.write_text(to_yaml(goals.config(upstreams={"fake": fake()})), encoding="utf-8")
            process = subprocess.Popen(
                [BINARY, "chat", "-c", str(path), "--log-level", "info"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=clean_environment(),
            )  # fmt: skip
            process.stdin.write(b"fake.progress: steps=1\nfake.sleep: seconds=60\n")
            process.stdin.flush()
            while b"done" not in process.stdout.readline():
                pass
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, err)


if __name__ == "__main__":
    main()
