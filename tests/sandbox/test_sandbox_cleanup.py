"""The gateway, a watcher or an agent is killed while sandboxes are created, used and destroyed.
No process, cgroup or folder remains, and a gateway that survives keeps working."""

import contextlib
import os
import random
import signal
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main, result_of, wait_until
from rawhttp import ConnectionEnded
from sandbox_case import cgroups_of, our_guests, our_watchers, processes_with
from sandbox_tool_case import ToolCase
from waiting import Background


def kill_all(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


class Endings(ToolCase):
    def setUp(self):
        super().setUp()
        self.temporary = self.enterContext(tempfile.TemporaryDirectory())

    def start(self, **settings):
        return super().start(env={"TMPDIR": self.temporary}, **settings)

    def assert_nothing_left(self):
        super().assert_nothing_left()
        self.assertEqual(os.listdir(self.temporary), [])

    def churn(self, session, stop):
        """Creates, uses and destroys sandboxes, one after the other; errors are ignored."""

        def work():
            while not stop.is_set():
                try:
                    with self.gateway.connect() as connection:
                        call = lambda tool, **more: result_of(
                            session.call(f"box__{tool}", connection=connection, **more)
                        )["structuredContent"]
                        box = call("create_sandbox")["sandbox_id"]
                        call("run_command", sandbox_id=box, command="setsid sleep 1009 & sleep 0.01")
                        call("destroy_sandbox", sandbox_id=box)
                # The gateway is killed in the midst of it, or a sandbox is.
                except (AssertionError, ConnectionEnded, KeyError, OSError, ValueError):
                    continue

        return [Background(work) for _ in range(3)]

    def test_the_gateway_at_any_moment(self):
        for step in range(8):
            gateway = self.start(pool={"size": 1, "max_concurrent_starts": 3})
            stop = threading.Event()
            running = self.churn(self.session, stop)
            threading.Event().wait(random.uniform(0.01, 0.05) * step)
            gateway.kill()
            stop.set()
            for one in running:
                one.result()
        self.assert_nothing_left()
        self.assertEqual(processes_with("sleep\x001009"), [])

    def storm(self, victims):
        """Kills them again and again while sandboxes come and go; then all must be well again."""
        self.start(pool={"size": 1, "max_concurrent_starts": 3})
        stop = threading.Event()
        running = self.churn(self.session, stop)
        for _ in range(40):
            threading.Event().wait(random.uniform(0.001, 0.03))
            kill_all(victims())
        stop.set()
        for one in running:
            one.result()
        wait_until(self.is_well, "all to be well again")
        self.assertEqual(self.gateway.stop(), 0)
        self.assert_nothing_left()
        self.assertEqual(processes_with("sleep\x001009"), [])

    def is_well(self):
        # One that was handed out while its watcher died ends too.
        with contextlib.suppress(AssertionError):
            return self.shell(self.make(), "echo well")["stdout"] == "well\n"

    def test_agents_at_any_moment(self):
        self.storm(our_guests)

    def test_watchers_at_any_moment(self):
        self.storm(our_watchers)

    def test_watchers_and_agents_at_any_moment(self):
        self.storm(lambda: our_guests() + our_watchers())

    def test_a_watcher_and_then_the_gateway(self):
        """No process is left to remove the cgroup, but nothing runs; the next gateway removes it."""
        gateway = self.start(pool={"size": 0})
        self.shell(
            self.make(),
            "setsid sh -c 'touch up; exec sleep 1009' & while [ ! -e up ]; do sleep 0.01; done",
        )
        wait_until(lambda: processes_with("sleep\x001009"), "it to run")
        kill_all(our_watchers())
        gateway.kill()
        wait_until(lambda: not our_guests(), "the sandbox to be gone")
        wait_until(lambda: not processes_with("sleep\x001009"), "what it ran to be gone")
        dead = gateway.pid
        # A gateway of another test may have come before this one.
        self.start(pool={"size": 0})
        self.assertEqual(cgroups_of(dead), [])


class Stopping(ToolCase):
    """An upstream that is taken out of the configuration lets calls in progress finish, for a while."""

    def begin(self, command, **settings):
        """A call in progress, whose upstream is then taken out."""
        self.start(pool={"size": 1}, **settings)
        call = self.session.call_later("box__run_command", command=command)
        wait_until(lambda: processes_with("sleep\x001.7"), "it to run")
        self.gateway.write_config({"upstreams": {}, "stop": settings.get("stop", {})})
        wait_until(lambda: self.session.tool_names() == [], "its tools to be gone")
        return call

    def test_a_call_in_progress_is_finished(self):
        call = self.begin("sleep 1.7; echo finished", stop={"drain_timeout": "50s"})
        ran = result_of(call.result())["structuredContent"]
        self.assertEqual((ran["stdout"], ran["verdict"]), ("finished\n", "exit"))
        self.assert_nothing_left()

    def test_one_that_resists_is_ended(self):
        call = self.begin(
            "trap '' TERM INT HUP; while true; do sleep 1.7; done", stop={"drain_timeout": "300ms"}
        )
        answer = call.result()
        self.assertIn("the upstream is stopping", answer["error"]["message"])
        self.assert_nothing_left()
        self.assertEqual(processes_with("sleep\x001.7"), [])


class StoppingEarly(ToolCase):
    needs_isolation = False

    def test_what_never_comes_up_holds_nobody(self):
        machine = {"command": "sleep", "args": ["1019"], "socket": "{folder}/v.sock"}
        self.start(
            env={"TMPDIR": str(self.folder)},
            engine="microvm",
            microvm=machine,
            start_timeout="10m",
            stop={"drain_timeout": "500ms"},
        )
        wait_until(lambda: processes_with("sleep\x001019"), "one for the pool to be started")
        # And one that a caller waits for.
        call = self.session.call_later("box__run_command", command="true")
        wait_until(lambda: len(processes_with("sleep\x001019")) == 2, "a second one to be started")
        self.assertEqual(self.gateway.stop(), 0)
        self.assertIn("error", call.result())
        self.assertEqual(processes_with("sleep\x001019"), [])
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    main()
