"""Runs the official MCP conformance suite, and starts servers that it can be run against.

`run_server_suite(url, ...)` points the suite at any server: the fixture itself, or the gateway with
the fixture behind it. `run_client_scenario(command, ...)` has the suite start a client. Both give
outcomes by scenario, read from the files that the suite writes.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import npm_peers
from harness import ROOT, clean_environment
from waiting import TIMEOUT, Lines

OLDEST_NODE = 22  # The suite needs fs.globSync.
SUITE = npm_peers.MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SUITE_S = 300
COMPILE_CACHE = str(npm_peers.MODULES / ".compile-cache")  # The suite is started many times.
FIXTURE = str(ROOT / "testing" / "conformance_server")
CLIENT = str(ROOT / "testing" / "conformance_client.py")

# The requirement sets, and other selections of scenarios.
SETS = {
    "2025-03-26": ["--suite", "all", "--spec-version", "2025-03-26"],
    "2025-06-18": ["--suite", "all", "--spec-version", "2025-06-18"],
    "2025-11-25": ["--requirements", "2025-11-25"],
    "2026-07-28": ["--requirements", "2026-07-28"],
    "2026-07-28 without extensions": ["--suite", "all", "--spec-version", "2026-07-28"],
}

STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")


class Outcome:
    """One scenario: its checks as the suite gives them."""

    def __init__(self, scenario, checks, finished=True):
        self.scenario, self.checks = scenario, checks
        self.finished = finished  # A client may hang or fail although every check was made.

    def having(self, *statuses):
        return [check for check in self.checks if check["status"] in statuses]

    @property
    def passed(self):
        return self.finished and bool(self.checks) and not self.having("FAILURE")

    def complaints(self, *statuses):
        """The failing checks, one per line."""
        found = self.having(*(statuses or ("FAILURE",)))
        reply = [f"{check['id']}: {check.get('errorMessage', '')[:1000]}" for check in found]
        reply += [] if self.checks else ["the suite gave no checks"]
        return "\n".join(reply + ([] if self.finished else ["the client failed or timed out"]))


class Suite:
    """The suite with a node to run it."""

    def __init__(self):
        """Raises npm_peers.LeftOut where it cannot be had."""
        self.node = npm_peers.install(OLDEST_NODE)

    def _run(self, leg, arguments, env=None):
        with tempfile.TemporaryDirectory() as folder:
            command = [self.node, str(SUITE), leg, *arguments, "-o", folder]
            done = subprocess.run(
                command,
                cwd=folder,
                env=clean_environment(NODE_COMPILE_CACHE=COMPILE_CACHE, **(env or {})),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SUITE_S,
                check=False,
            )
            outcomes = read_outcomes(pathlib.Path(folder), leg)
        for scenario in re.findall(r"^=== Running scenario: (\S+) ===$", done.stdout, re.MULTILINE):
            outcomes.setdefault(scenario, Outcome(scenario, []))
        if not outcomes:
            raise AssertionError(f"the suite ran no scenario:\n{done.stdout[-4000:]}")
        return outcomes, done.stdout

    def run_server_suite(self, url, arguments):
        """Outcomes by scenario. `arguments` are those of the suite; see SETS."""
        return self._run("server", ["--url", url, *arguments])[0]

    def run_client_scenario(self, command, scenario, version, env=None):
        """(Outcome of one scenario with this client, all that was printed). Scenarios of extensions
        have no version."""
        arguments = ["--command", command, "--scenario", scenario]
        arguments += ["--spec-version", version] if version else []
        outcomes, reply = self._run("client", arguments, env)
        outcome = outcomes[scenario]
        outcome.finished = "CLIENT TIMED OUT" not in reply and "CLIENT EXITED WITH ERROR" not in reply
        return outcome, reply


def read_outcomes(folder, leg):
    outcomes = {}
    for path in sorted(folder.rglob("checks.json")):
        name = STAMP.sub("", str(path.parent.relative_to(folder)))
        scenario = name.removeprefix("server-") if leg == "server" else name
        outcomes[scenario] = Outcome(scenario, json.loads(path.read_text(encoding="utf-8")))
    return outcomes


def fixture_command(*arguments):
    return [sys.executable, FIXTURE, *arguments]


def fixture_upstream(*arguments, **settings):
    """Settings of a stdio upstream that runs the fixture."""
    command, *args = fixture_command("--transport", "stdio", *arguments)
    return {"kind": "stdio", "command": command, "args": args, **settings}


class Server:
    """A server on a network transport, as a context manager. It prints its address as its first
    line; `address` is that."""

    def __init__(self, command, transport="http"):
        self.command, self.transport = command, transport
        self.process = self.stdout = self.stderr = self.address = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.stdout, self.stderr = Lines(self.process.stdout), Lines(self.process.stderr)
        try:
            self.address = self.stdout.wait_for(lambda line: True)
        except AssertionError:
            self.process.kill()
            raise AssertionError("no server:\n" + self.stderr.text()[-4000:]) from None
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self.process.wait()
            self.stdout.wait_end(), self.stderr.wait_end()

    def upstream(self):
        """Settings of an upstream that reaches it."""
        if self.transport == "tcp":
            return {"kind": "tcp", "address": self.address.removeprefix("tcp://")}
        if self.transport == "unix":
            return {"kind": "unix", "path": self.address.removeprefix("unix:")}
        return {"kind": self.transport, "url": self.address}


def fixture(*arguments, transport="http"):
    return Server(fixture_command("--transport", transport, *arguments), transport)


def sdk_server(node, protocol="both"):
    """The server made with SDK v2; `protocol` is both, session or stateless."""
    return Server([node, str(npm_peers.PEERS / "sdk_v2_server.mjs"), protocol])
