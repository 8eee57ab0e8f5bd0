"""Programs without a sandbox: what they can learn of the gateway, their user, and what ends with
them."""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    FAKE_SERVER,
    Gateway,
    McpSession,
    TestCase,
    alive,
    fake,
    main,
    run,
    text_of,
    to_yaml,
    wait_until,
)
from sandbox_case import as_user

SECRET = "s3cret-of-the-gateway-0123456789"
NOBODY = 61501


def common(**settings):
    """The fake server as any user can run it: its files may be in the home folder of another."""
    return fake(command="/usr/bin/python3", args=["-S", "-c", pathlib.Path(FAKE_SERVER).read_text(encoding="utf-8")],
                cwd="/", **settings)


def environment_of(pid):
    return pathlib.Path(f"/proc/{pid}/environ").read_bytes()


class Case(TestCase):
    def start(self, config, user=None, **more):
        gateway = Gateway(config, **more)
        if user is not None:
            os.chmod(gateway.folder.name, 0o755)
            gateway.command = as_user(gateway.command, user)
        self.gateway = self.enterContext(gateway)
        self.session = self.enterContext(McpSession(self.gateway))

    def use(self, tool, **arguments):
        return text_of(self.session.call(tool, **arguments))

    def need_root(self):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can become another user")


class Secrets(Case):
    def config(self, **more):
        return {"upstreams": {"fake": fake(env={"KEY": "${env:GATEWAY_KEY}", **more}, env_pass=["PASSED"])}}

    def test_what_has_been_read_is_no_longer_in_the_environment(self):
        env = {"GATEWAY_KEY": SECRET, "PASSED": "passed-" + SECRET, "LATER": "later-" + SECRET}
        self.start(self.config(), env=env)
        seen = json.loads(self.use("fake__env"))
        self.assertEqual((seen["KEY"], seen["PASSED"]), (SECRET, "passed-" + SECRET))
        left = environment_of(self.gateway.pid)
        self.assertNotIn(b"GATEWAY_KEY=" + SECRET.encode(), left)
        self.assertNotIn(b"passed-", left)
        self.assertIn(b"PATH=/", left)

    def test_a_reload_and_a_restart_still_know_it(self):
        self.start(self.config(), env={"GATEWAY_KEY": SECRET, "PASSED": "p", "LATER": "later-" + SECRET})
        self.gateway.write_config(self.config(MORE="${env:LATER}"))
        wait_until(lambda: json.loads(self.use("fake__env")).get("MORE") == "later-" + SECRET, "the reload")
        self.assertNotIn(SECRET.encode(), environment_of(self.gateway.pid))
        self.session.call("fake__die")

        def back():
            answer = self.session.call("fake__env")
            return "result" in answer and json.loads(text_of(answer))

        seen = wait_until(back, "the program to come back")
        self.assertEqual((seen["KEY"], seen["MORE"], seen["PASSED"]), (SECRET, "later-" + SECRET, "p"))

    def test_its_memory_is_closed_to_programs_of_the_same_user(self):
        self.need_root()
        self.start({"upstreams": {"fake": common()}}, user=NOBODY, env={"OTHER": SECRET})
        for file in ("environ", "mem", "maps"):
            self.assertEqual(self.use("fake__peek", path=f"/proc/{self.gateway.pid}/{file}"), "PermissionError")
        # The program itself is a process like any other.
        self.assertIn("PATH", self.use("fake__peek", path="/proc/self/environ"))

    def test_no_core_file_is_written(self):
        self.start({"upstreams": {"fake": fake()}})
        limits = pathlib.Path(f"/proc/{self.gateway.pid}/limits").read_text(encoding="ascii")
        self.assertRegex(limits, r"Max core file size +0 +0 ")


class Users(Case):
    def setUp(self):
        super().setUp()
        self.need_root()

    def status(self):
        text = self.use("fake__peek", path="/proc/self/status")
        return {name: value.split() for name, value in re.findall(r"(\w+):\s*(.*)", text)}

    def test_a_program_runs_as_another_user(self):
        self.start({"upstreams": {"fake": common(user=f"{NOBODY}:{NOBODY}")}})
        status = self.status()
        self.assertEqual(status["Uid"], [str(NOBODY)] * 4)
        self.assertEqual(status["Gid"], [str(NOBODY)] * 4)
        self.assertEqual(status["Groups"], [str(NOBODY)])
        self.assertEqual(status["NoNewPrivs"], ["1"])
        for file in ("environ", "mem"):
            self.assertEqual(self.use("fake__peek", path=f"/proc/{self.gateway.pid}/{file}"), "PermissionError")

    def test_a_user_by_name_has_its_own_home_folder(self):
        self.start({"upstreams": {"fake": common(user="nobody")}})
        seen = json.loads(self.use("fake__env"))
        self.assertEqual((seen["USER"], seen["LOGNAME"]), ("nobody", "nobody"))
        self.assertNotEqual(seen.get("HOME"), os.environ.get("HOME"))

    def test_such_a_program_dies_with_the_gateway(self):
        self.start({"upstreams": {"fake": common(user="nobody")}})
        pid = json.loads(self.use("fake__whoami"))["pid"]
        self.gateway.kill()
        wait_until(lambda: not alive(pid), "the program to end")

    def test_an_unknown_user_is_reported(self):
        self.start({"upstreams": {"fake": common(user="nosuchuser", start_time="2s")}})
        self.assertIn("user: there is no user nosuchuser", self.gateway.stderr.wait_for("nosuchuser"))

    def test_only_root_can(self):
        gateway = Gateway({"upstreams": {"fake": common(user="nobody", start_timeout="2s")}})
        os.chmod(gateway.folder.name, 0o755)
        gateway.command = as_user(gateway.command, NOBODY)
        with gateway:
            self.assertIn("root", gateway.stderr.wait_for("cannot become the user nobody"))

    def test_a_sandbox_has_a_user_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "patchbay.yaml")
            upstream = {"kind": "stdio", "command": "x", "user": "nobody", "sandbox": {}}
            path.write_text(to_yaml({"upstreams": {"u": upstream}}), encoding="utf-8")
            done = run("check", str(path))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("user", done.stderr + done.stdout)


class Orphans(Case):
    """A process that has left group, session and parents behind."""

    def restarted(self, before):
        def pid():
            answer = self.session.call("fake__whoami")
            return "result" in answer and json.loads(text_of(answer))["pid"]

        return wait_until(lambda: pid() not in (False, before), "the program to come back")

    def test_it_ends_with_its_program(self):
        self.start({"upstreams": {"fake": fake(), "other": fake()}})
        stored = int(self.use("other__runaway"))
        gone = [int(self.use("fake__runaway")) for _ in range(3)]
        whole = json.loads(self.use("fake__whoami"))["pid"]
        self.assertTrue(all(map(alive, [stored, *gone])))
        self.session.call("fake__die")
        for pid in gone:
            wait_until(lambda pid=pid: not alive(pid), "what the program left behind to end")
        self.restarted(whole)
        self.assertTrue(alive(stored))

    def test_it_ends_with_a_reload_that_takes_its_program_away(self):
        self.start({"upstreams": {"fake": fake(), "other": fake()}})
        pid = int(self.use("fake__runaway"))
        self.gateway.write_config({"upstreams": {"other": fake()}})
        wait_until(lambda: not alive(pid), "what the program left behind to end")

    def test_it_ends_with_the_gateway(self):
        for hide in (False, True):
            with self.subTest(hidden=hide):
                # A program without a mark of ours is not known to be anyone's; it ends here at the latest.
                wrapped = {"command": "/usr/bin/env", "args": ["-i", fake()["command"], "-S", FAKE_SERVER]}
                config = {"upstreams": {"fake": fake(**(wrapped if hide else {}))}}
                with Gateway(config) as gateway, McpSession(gateway) as session:
                    pid = int(text_of(session.call("fake__runaway")))
                    self.assertTrue(alive(pid))
                self.assertFalse(alive(pid))

    def test_none_stays_a_zombie(self):
        self.start({"upstreams": {"fake": fake()}})
        pids = [int(self.use("fake__runaway")) for _ in range(3)]
        for pid in pids:
            os.kill(pid, 9)
            wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), "it to be reaped")


if __name__ == "__main__":
    main()
