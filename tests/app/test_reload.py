"""Reload while calls are in progress: the file changes, or SIGHUP arrives."""

import json
import pathlib
import signal
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    FAKE_SERVER,
    Background,
    Gateway,
    McpSession,
    TestCase,
    alive,
    fake,
    fake_config,
    main,
    shell_command,
    text_of,
    to_yaml,
    wait_until,
)


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # It has ended meanwhile.
        return b""


class ReloadCase(TestCase):
    def start(self, **upstreams):
        self.gateway = self.enterContext(
            Gateway(fake_config(upstreams or {"a": fake(), "b": fake()}))
        )
        self.session = self.enterContext(McpSession(self.gateway))
        return self.session

    def process_of(self, upstream):
        return json.loads(text_of(self.session.call(f"{upstream}__whoami")))

    def upstreams(self):
        return {name.split("__")[0] for name in self.session.tool_names()}

    def wait_upstreams(self, *names):
        wait_until(lambda: self.upstreams() == set(names), f"the upstreams {names}")


class FileChange(ReloadCase):
    def test_an_upstream_is_added(self):
        self.start(a=fake())
        pid = self.process_of("a")["pid"]
        self.gateway.write_config(fake_config({"a": fake(), "new": fake()}))
        self.wait_upstreams("a", "new")
        self.assertEqual(text_of(self.session.call("new__echo", text="hi")), "hi")
        self.assertEqual(self.process_of("a")["pid"], pid)

    def test_an_in_place_write_counts_too(self):
        self.start(a=fake())
        text = to_yaml(fake_config({"a": fake(), "inplace": fake()}))
        self.gateway.config_path.write_text(text, encoding="utf-8")
        self.wait_upstreams("a", "inplace")

    def test_an_upstream_is_removed_after_its_calls(self):
        session = self.start()
        pids = {name: self.process_of(name)["pid"] for name in "ab"}
        call = session.call_later("a__sleep", seconds=2.5, text="finished")
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1)
        self.gateway.write_config(fake_config({"b": fake()}))
        self.wait_upstreams("b")
        self.assertTrue(
            call.running(), "the call must still be in progress for this test to mean anything"
        )
        self.assert_error(session.call("a__echo", text="x"), -32602)
        self.assertEqual(text_of(call.result()), "finished")
        wait_until(lambda: not alive(pids["a"]), "the removed child to be gone")
        self.assertEqual(self.process_of("b")["pid"], pids["b"])

    def test_an_upstream_is_changed_while_it_works(self):
        session = self.start(a=fake(env={"FAKE_TAG": "old"}), b=fake())
        pids = {name: self.process_of(name)["pid"] for name in "ab"}
        call = session.call_later("a__sleep", seconds=2.5, text="by the old one")
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1)
        self.gateway.write_config(fake_config({"a": fake(env={"FAKE_TAG": "new"}), "b": fake()}))

        def changed():
            answer = session.call("a__whoami")
            return "result" in answer and json.loads(text_of(answer))["tag"] == "new"

        wait_until(changed, "the new settings to be in force")
        self.assertEqual(text_of(call.result()), "by the old one")
        self.assertNotEqual(self.process_of("a")["pid"], pids["a"])
        self.assertEqual(self.process_of("b")["pid"], pids["b"])
        wait_until(lambda: not alive(pids["a"]), "the old child to be gone")

    def test_a_call_that_waits_for_a_restart_gets_retry_advice(self):
        """The first start of the program is good, the second never answers; then it is replaced."""
        marker = f"{self.enterContext(tempfile.TemporaryDirectory())}/started"
        server = shell_command(sys.executable, "-S", FAKE_SERVER)
        script = f"if [ -e {marker} ]; then exec sleep 1000; fi; touch {marker}; exec {server}"
        session = self.start(a=fake(command="/bin/sh", args=["-c", script]))
        self.assertIn("error", session.call("a__die"))
        wait_until(
            lambda: b"sleep" in b"".join(map(command_of, self.gateway.children())),
            "the second start",
        )
        call = session.call_later("a__echo", text="waits")
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1)
        self.gateway.write_config(fake_config({"a": fake(env={"FAKE_TAG": "new"})}))
        error = call.result()["error"]
        self.assertEqual(error["data"]["reason"], "unavailable", error)
        self.assertIn("retryAfterMs", error["data"])
        self.assertIn("make the call again", error["message"])
        # The new upstream answers it.
        self.assertEqual(text_of(session.call("a__echo", text="again")), "again")

    def test_limits_change(self):
        session = self.start(a=fake())
        self.gateway.write_config(fake_config({"a": fake()}, limits={"call_timeout": "300ms"}))

        def limited():
            answer = session.call("a__sleep", seconds=1)
            return answer.get("error", {}).get("code") == -32001

        wait_until(limited, "the new deadline to be in force")

    def test_sessions_and_streams_survive_and_are_notified(self):
        session = self.start(a=fake())
        stream = session.open_stream()
        self.addCleanup(stream.connection.close)
        self.gateway.write_config(fake_config({"a": fake(), "new": fake()}))
        message = next(event.json() for event in stream.events() if event.data)
        self.assertEqual(message["method"], "notifications/tools/list_changed")
        self.wait_upstreams("a", "new")

    def test_a_change_during_the_start_is_not_missed(self):
        gateway = Gateway(fake_config({"slow": fake(env={"FAKE_SLOW_START": "1.5"})}))
        start = Background(self.enterContext, gateway)
        wait_until(lambda: gateway.stdout, "the process to run")
        gateway.stdout.wait_for("front end")
        gateway.write_config(fake_config({"fresh": fake()}))
        self.gateway = start.result()
        self.session = self.enterContext(McpSession(self.gateway))
        self.wait_upstreams("fresh")

    def test_many_changes_under_load_lose_nothing(self):
        session = self.start(a=fake(), b=fake())
        calls = []
        for turn in range(15):
            calls.append((turn, session.call_later("b__sleep", seconds=0.3, text=f"t{turn}")))
            extra = {"extra": fake()} if turn % 2 else {}
            self.gateway.write_config(
                fake_config({"a": fake(env={"FAKE_TAG": str(turn)}), "b": fake(), **extra})
            )
        for turn, call in calls:
            self.assertEqual(text_of(call.result()), f"t{turn}")
        wait_until(lambda: "14" == self.tag(), "the last change to be in force")
        wait_until(
            lambda: len(self.gateway.children()) == 2, "no child of an older file to be left"
        )

    def tag(self):
        answer = self.session.call("a__whoami")
        return "result" in answer and json.loads(text_of(answer))["tag"]


class Signal(ReloadCase):
    def test_hangup_reads_the_file_again(self):
        self.start(a=fake())
        pid = self.process_of("a")["pid"]
        self.gateway.write_config(fake_config({"a": fake(), "hup": fake()}))
        self.gateway.process.send_signal(signal.SIGHUP)
        self.wait_upstreams("a", "hup")
        self.assertEqual(self.process_of("a")["pid"], pid)

    def test_hangup_without_a_file_does_no_harm(self):
        with Gateway() as gateway:
            gateway.process.send_signal(signal.SIGHUP)
            with McpSession(gateway) as session:
                self.assertEqual(text_of(session.call("skills__echo", text="x")), "x")


class BadFile(ReloadCase):
    def test_it_changes_nothing_and_reports_it(self):
        session = self.start()
        pids = {name: self.process_of(name)["pid"] for name in "ab"}
        names = session.tool_names()
        for text, where in (
            ("upstreams:\n  c: {kind: stdio}\nlissten: 5\n", "patchbay.yaml:3:"),
            ("upstreams: {a: {kind: stdio\n", "patchbay.yaml:"),
            ("limits:\n  call_timeout: 1s\n  call_timeout: 2s\n", "patchbay.yaml:3:"),
        ):
            with self.subTest(text=text):
                start = self.gateway.stderr.count()
                self.gateway.write_config(text)
                self.gateway.process.send_signal(signal.SIGHUP)
                self.gateway.stderr.wait_for(where, start)
                self.assertEqual(session.tool_names(), names)
                self.assertEqual({name: self.process_of(name)["pid"] for name in "ab"}, pids)
                self.assertTrue(self.gateway.ready())

    def test_a_good_file_afterwards_is_taken(self):
        self.start(a=fake())
        self.gateway.write_config("nonsense: 1\n")
        self.gateway.stderr.wait_for("patchbay.yaml:1:")
        self.gateway.write_config(fake_config({"a": fake(), "better": fake()}))
        self.wait_upstreams("a", "better")

    def test_the_log_names_what_changed_and_that_a_file_is_mended(self):
        self.start(a=fake(), b=fake())
        good = fake_config({"a": fake(), "b": fake()})
        self.gateway.write_config("nonsense: 1\n")
        self.gateway.stderr.wait_for("reload refused")
        self.gateway.write_config(good)
        self.gateway.stderr.wait_for("configuration mended")
        changed = fake_config({"a": fake(timeout="9s"), "c": fake()}, limits={"max_calls": 50})
        self.gateway.write_config({**changed, "workers": 3})
        line = self.gateway.stderr.wait_for("changed=")
        for name in ("limits (new)", "upstreams.a", "upstreams.c (new)", "upstreams.b (gone)"):
            self.assertIn(name, line)
        self.assertNotIn("upstreams.a (", line)
        self.assertIn("keys=workers", self.gateway.stderr.wait_for("restart needed"))

    def test_a_removed_file_changes_nothing(self):
        session = self.start(a=fake())
        pid = self.process_of("a")["pid"]
        self.gateway.config_path.unlink()
        start = self.gateway.stderr.count()
        self.gateway.process.send_signal(signal.SIGHUP)
        self.gateway.stderr.wait_for("patchbay.yaml", start)
        self.assertEqual(self.process_of("a")["pid"], pid)
        self.gateway.write_config(fake_config({"a": fake(), "again": fake()}))
        self.wait_upstreams("a", "again")
        self.assertEqual(text_of(session.call("again__echo", text="x")), "x")

    def test_an_upstream_that_cannot_start_does_not_stop_the_others(self):
        self.start(a=fake())
        pid = self.process_of("a")["pid"]
        self.gateway.write_config(
            fake_config({"a": fake(), "sick": fake(command="/no/such"), "fine": fake()})
        )
        self.wait_upstreams("a", "fine")
        wait_until(self.gateway.degraded, "sick to be shown as down")
        self.assertEqual(self.process_of("a")["pid"], pid)

    def test_a_stop_while_an_upstream_is_being_replaced(self):
        """Its program is still ending when the one that replaces it has given up as well."""
        stubborn = fake(env={"FAKE_STUBBORN": "1"}, stop_timeout="500ms")
        self.start(a=stubborn)
        silent = fake(args=["-S", "-c", "import sys; sys.stdin.read()"])
        self.gateway.write_config(fake_config({"a": silent}))
        start = self.gateway.stderr.count()
        self.gateway.stderr.wait_for("Connecting to a MCP server", start)
        self.assertEqual(self.gateway.stop(), 0)


if __name__ == "__main__":
    main()
