"""The bounds of the control API are settings, and what is refused names its setting."""

import contextlib
import signal
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from control_case import ADMIN, ANN, BOB, ControlCase, WithCallers, page
from harness import FAKE_SERVER, Gateway, fake, fake_config, main, wait_until


class LiveStreams(WithCallers):
    settings = {"workers": 2, "limits": {"max_live_streams": 4, "max_live_streams_per_caller": 2}}

    def open(self, token):
        connection = self.enterContext(self.gateway.connect())
        connection.send("GET", "/control/v1/calls/live", bearer(token))
        self.assertEqual(connection.read_head().status, 200)

    def refused(self, token):
        response = page(self.gateway, "calls/live", token)
        self.assertGreater(int(response.header("retry-after")), 0)
        return response.status, response.json()["error"]

    def test_each_caller_has_a_share_and_all_have_a_total(self):
        for _ in range(2):
            self.open(BOB)
        for _ in range(4):  # Whichever worker gets it.
            status, error = self.refused(BOB)
            self.assertEqual(status, 429)
            self.assertIn("(limits.max_live_streams_per_caller)", error)
        self.open(ANN)
        self.open(ADMIN)
        for token in (ANN, ADMIN):
            status, error = self.refused(token)
            self.assertEqual(status, 503)
            self.assertIn("(limits.max_live_streams)", error)


class TogetherCase(ControlCase):
    def ask_together(self, path, **settings):
        """The answers to 30 requests that all arrive before the first one is answered."""
        with Gateway(fake_config(**settings)) as gateway, contextlib.ExitStack() as stack:
            wait_until(lambda: self.ask(gateway, path) is not None, "its first answer")
            connections = [stack.enter_context(gateway.connect()) for _ in range(30)]
            for connection in connections:
                self.assertEqual(connection.request("GET", "/health").status, 200)
            gateway.process.send_signal(signal.SIGSTOP)
            for connection in connections:
                connection.send("GET", f"/control/v1/{path}")
            gateway.process.send_signal(signal.SIGCONT)
            return [connection.read_response() for connection in connections]

    def expect(self, answers, status, setting):
        refused = [answer for answer in answers if answer.status != 200]
        self.assertNotEqual(refused, [])
        for answer in refused:
            self.assertEqual(answer.status, status, answer.body)
            self.assertIn(f"({setting})", answer.json()["error"])


class AuditQueries(TogetherCase):
    def query_together(self, **bounds):
        return self.ask_together("audit", audit={"database": "audit.db", **bounds})

    def test_those_of_one_caller(self):
        self.expect(self.query_together(), 429, "audit.max_queries_per_caller")

    def test_those_that_wait(self):
        answers = self.query_together(max_queries_per_caller=100, max_queued_queries=1)
        self.expect(answers, 503, "audit.max_queued_queries")

    def test_higher_bounds_refuse_none(self):
        answers = self.query_together(max_queries_per_caller=100, max_queries=3)
        self.assertEqual({answer.status for answer in answers}, {200})


class AdminJobs(TogetherCase):
    def ask_pages(self, path, most, **settings):
        return self.ask_together(path, limits={"max_queued_admin_jobs": most}, **settings)

    def test_a_refusal_names_the_setting(self):
        self.expect(self.ask_pages("configuration", 1), 503, "limits.max_queued_admin_jobs")

    def test_a_higher_bound_refuses_none(self):
        self.assertEqual({answer.status for answer in self.ask_pages("configuration", 40)}, {200})

    def test_audit_queries_have_a_bound_of_their_own(self):
        audit = {"database": "audit.db", "max_queries_per_caller": 100}
        answers = self.ask_together("audit", audit=audit, limits={"max_queued_admin_jobs": 0})
        self.assertEqual({answer.status for answer in answers}, {200})


class StderrLines(ControlCase):
    def test_the_last_lines_are_stored(self):
        script = f'for i in 1 2 3 4 5; do echo "line $i" >&2; done; exec {sys.executable} -S {FAKE_SERVER}'
        upstreams = {"fake": fake(command="/bin/sh", args=["-c", script])}
        with Gateway(fake_config(upstreams, limits={"max_stored_stderr_lines": 2})) as gateway:
            gateway.wait_ready()
            lines = lambda: [one["line"] for one in self.ask(gateway, "upstreams/fake")["stderr"]]
            wait_until(lambda: "line 5" in lines(), "the last line")
            self.assertEqual(lines(), ["line 4", "line 5"])


class Histories(ControlCase):
    def test_upstreams_beyond_the_bound_are_logged(self):
        upstreams = {"one": fake(), "two": fake()}
        with Gateway(fake_config(upstreams, telemetry={"max_history_upstreams": 1})) as gateway:
            gateway.wait_ready()
            line = gateway.stderr.wait_for("upstreams without load history")
            self.assertIn("setting=telemetry.max_history_upstreams", line)


main()
