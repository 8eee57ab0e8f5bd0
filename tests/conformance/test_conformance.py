"""The official conformance suite: first against the servers alone, then with the gateway between.

The servers are the fixture, which can be locked to revisions, and one made with the official SDK.
They must pass everything, or failures with the gateway between would mean nothing. Where the suite
cannot be installed from npm, the tests are skipped with the reason.
"""

import concurrent.futures
import contextlib
import os
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

import schema_check
from conformance import SETS, Suite, fixture, fixture_upstream, sdk_server
from harness import Gateway, main
from npm_peers import LeftOut

SESSION_BASED = "2024-11-05,2025-03-26,2025-06-18,2025-11-25"
STATELESS = "2026-07-28"
OLD, NEW, NEW_CORE = "2025-11-25", "2026-07-28", "2026-07-28 without extensions"
AT_A_TIME = 3

# What need not pass with a server of the handshake revisions behind the gateway, and why.
UNTOLD = {
    "input-required-result-basic-elicitation": "a question of such a server has no key of its own",
    "input-required-result-multiple-input-requests": "one pipe does not say whose a question is",
    "tasks-required-task-error": "the gateway waits for a task that the client does not know of",
}


def setUpModule():
    try:
        ConformanceCase.suite = Suite()
    except LeftOut as reason:
        print(f"the conformance suite was left out: {reason}", flush=True)
        raise unittest.SkipTest(str(reason)) from None


class ConformanceCase(unittest.TestCase):
    suite = None

    def temporary_record(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return os.path.join(folder.name, "record")


class ServerTest(ConformanceCase):
    """The servers without the gateway."""

    def run_sets(self, server, *names):
        """The sets run at the same time: they mostly wait."""
        with server, concurrent.futures.ThreadPoolExecutor() as pool:
            run = self.suite.run_server_suite
            runs = {name: pool.submit(run, server.address, SETS[name]) for name in names}
            sets = {name: started.result() for name, started in runs.items()}
        for name, outcomes in sets.items():
            for scenario, outcome in outcomes.items():
                with self.subTest(set=name, scenario=scenario):
                    self.assertTrue(outcome.passed, outcome.complaints())
                    self.assertEqual("", outcome.complaints("WARNING"))
        self.assertEqual([], server.stderr.lines)

    def test_fixture_of_all_revisions(self):
        record = self.temporary_record()
        self.run_sets(fixture("--record", record), "2025-03-26", "2025-06-18", OLD, STATELESS)
        # Not what comes in: the suite sends nonsense on purpose.
        schema_check.assert_record(self, record, ["out"])

    def test_locked_fixture_that_always_streams(self):
        record = self.temporary_record()
        self.run_sets(fixture("--record", record, "--revisions", SESSION_BASED, "--always-stream"), OLD)
        schema_check.assert_record(self, record, ["out"])

    def test_sdk_server(self):
        self.run_sets(sdk_server(self.suite.node), OLD, NEW_CORE)


class GatewayTest(ConformanceCase):
    """Each run has its own gateway and server: a program on stdio does not indicate to which call a
    question belongs, so nothing else may run on it."""

    def run_through(self, server, name):
        """One set; `server` is a Server, or the settings of an upstream."""
        with contextlib.ExitStack() as stack:
            upstream = server
            if not isinstance(server, dict):
                upstream = stack.enter_context(server).upstream()
            config = {"names": {"prefix": "never"}, "upstreams": {"server": upstream}}
            gateway = stack.enter_context(Gateway(config))
            return self.suite.run_server_suite(gateway.url, SETS[name])

    def evaluate(self, title, outcomes, unless):
        passed = sorted(scenario for scenario, outcome in outcomes.items() if outcome.passed)
        print(f"{title}: {len(passed)} of {len(outcomes)} passed: {', '.join(passed)}", flush=True)
        for scenario, outcome in outcomes.items():
            with self.subTest(run=title, scenario=scenario):
                if scenario not in unless:
                    self.assertTrue(outcome.passed, outcome.complaints())

    def run_all(self, runs):
        """Each run is (title, set, server or settings, what need not pass)."""
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            started = [pool.submit(self.run_through, server, name) for _, name, server, _ in runs]
        for (title, name, _, unless), outcomes in zip(runs, started):
            self.evaluate(f"{name} in front of {title}", outcomes.result(), unless)

    def test_sessions_to_a_program_with_sessions(self):
        runs, records = [], []
        for name in ("2025-03-26", "2025-06-18", OLD):
            records.append(self.temporary_record())
            server = fixture_upstream("--revisions", SESSION_BASED, "--record", records[-1])
            runs.append(("a program with sessions", name, server, {}))
        self.run_all(runs)
        for record in records:
            schema_check.assert_record(self, record, ["in"])

    def test_across_protocols_to_a_program(self):
        sessions = fixture_upstream("--revisions", SESSION_BASED)
        stateless = fixture_upstream("--revisions", STATELESS)
        self.run_all([
            ("a program with sessions", NEW, sessions, UNTOLD),
            ("a stateless program", OLD, stateless, {}),
            ("a stateless program", NEW, stateless, {}),
        ])

    def test_http(self):
        runs = []
        for title, revisions, unless in (
            ("HTTP with sessions", SESSION_BASED, UNTOLD),
            ("stateless HTTP", STATELESS, {}),
            ("HTTP of both forms", f"{SESSION_BASED},{STATELESS}", {}),
        ):
            runs.append((title, OLD, fixture("--revisions", revisions), {}))
            runs.append((title, NEW, fixture("--revisions", revisions), unless))
        streaming = fixture("--revisions", SESSION_BASED, "--always-stream")
        self.run_all([*runs, ("HTTP that always streams", OLD, streaming, {})])

    def test_other_transports(self):
        runs = []
        for kind in ("sse", "custom-http-sse", "tcp", "unix"):
            runs.append((kind, OLD, fixture("--revisions", SESSION_BASED, transport=kind), {}))
        self.run_all(runs)

    def test_sdk_server(self):
        runs = []
        for protocol, unless in (("session", UNTOLD), ("stateless", {})):
            title = f"the SDK's server, {protocol}"
            runs.append((title, OLD, sdk_server(self.suite.node, protocol), {}))
            runs.append((title, NEW_CORE, sdk_server(self.suite.node, protocol), unless))
        self.run_all(runs)


if __name__ == "__main__":
    main()
