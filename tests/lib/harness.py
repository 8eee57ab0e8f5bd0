"""Shared by every whole-program test: start the binary, send requests, read the answers.

The binary is $PATCHBAY_BIN, or build/patchbay of this checkout. Nothing here sleeps: the start is
complete when `ready` arrives on the pipe, and every other state is either read from a stream or
polled with wait_until, whose timeout is the bound after which a test fails.
"""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

# Everything that a test needs can be imported from here.
from mcp_client import (  # noqa: F401
    BOTH,
    SESSION_VERSIONS,
    STATELESS,
    McpSession,
    RpcError,
    answer_from,
    result_of,
    stateless_call,
    stateless_headers,
    stateless_message,
    stateless_post,
    stateless_request,
    text_of,
)
from rawhttp import Connection, ConnectionEnded, Event, Response  # noqa: F401
from waiting import TIMEOUT, Background, Lines, wait_until  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = str((ROOT / os.environ.get("PATCHBAY_BIN", "build/patchbay")).resolve())
FAKE_SERVER = str(ROOT / "testing" / "fake_server.py")
SCALE = float(os.environ.get("PATCHBAY_TEST_SCALE", "1.0"))


def process_state(pid):
    """The state of a process as one character, or None when it is gone."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[0]


def alive(pid):
    return process_state(pid) not in (None, "Z", "X")


def to_yaml(value, indent=""):
    """Block YAML of nested dicts; everything else is written as JSON, which YAML includes."""
    lines = []
    for key, item in value.items():
        if isinstance(item, dict) and item:
            lines += [f"{indent}{key}:", to_yaml(item, indent + "  ").rstrip("\n")]
        else:
            lines.append(f"{indent}{key}: {json.dumps(item)}")
    return "\n".join(lines) + "\n"


def fake(**settings):
    """Settings of a stdio upstream that runs testing/fake_server.py."""
    base = {
        "kind": "stdio",
        "command": sys.executable,
        "args": ["-S", FAKE_SERVER],
        "restart": {
            "initial_interval": "50ms",
            "max_interval": "1s",
            "breaker_threshold": 1000,
            "window": "60s",
        },
    }
    return {**base, **settings}


def fake_config(upstreams=None, **settings):
    return {"upstreams": upstreams or {"fake": fake()}, **settings}


def clean_environment(**extra):
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PATCHBAY_")}
    return {**inherited, **extra}


def run(*args, env=None, cwd=None, stdin=None, timeout=TIMEOUT):
    """Runs the binary to its end; gives the CompletedProcess with text output."""
    return subprocess.run(
        [BINARY, *args],
        env=clean_environment(**(env or {})),
        cwd=cwd,
        text=True,
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
    )


class Gateway:
    """`patchbay serve` as a context manager.

    On leaving the block the gateway gets SIGTERM and must exit with 0 within TIMEOUT, so that a
    crash or a sanitizer report fails the test that caused it. A test that ends the gateway itself
    calls stop() or kill().
    """

    def __init__(
        self,
        config=None,
        args=(),
        env=None,
        cwd=None,
        file_name="patchbay.yaml",
        read_stderr=True,
    ):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-test-")
        self.config_path = pathlib.Path(self.folder.name) / file_name
        self.command = [BINARY, "serve", *args]
        if config is not None:
            self.write_config(config)
            self.command += ["-c", str(self.config_path)]
        if not (isinstance(config, dict) and "listen" in config):
            self.command += ["--listen", "127.0.0.1:0"]
        self.environment, self.cwd = clean_environment(**(env or {})), cwd or self.folder.name
        self.process = self.stdout = self.stderr = self.port = None
        self.ended_by_test, self.read_stderr = False, read_stderr

    def write_config(self, config):
        """Replaces the file in one step, as editors and deploy tools do."""
        text = to_yaml(config) if isinstance(config, dict) else config
        fresh = self.config_path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.rename(self.config_path)

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command,
            cwd=self.cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.stdout = Lines(self.process.stdout)
        self.stderr = Lines(self.process.stderr, self.read_stderr)
        try:
            self.stdout.wait_for(lambda line: line == "ready")
            banner = self.stdout.wait_for("http://")
            self.port = int(banner.split("http://")[1].split("/")[0].rpartition(":")[2])
        except AssertionError:
            self.kill()
            if self.stdout.ended:  # It ended by itself, and printed the reason.
                self.stderr.wait_end()
            why = "the gateway did not start:\n" + self.stderr.text()[-4000:]
            raise AssertionError(why) from None
        return self

    def __exit__(self, kind, *_):
        try:
            if not self.ended_by_test:
                code = self.stop() if self.process.poll() is None else self.process.returncode
                if kind is None and code != 0:
                    raise AssertionError(f"exit code {code}:\n" + self.stderr.text()[-6000:])
        finally:
            if self.process.poll() is None:
                self.kill()
            self.stderr.close()
            self.folder.cleanup()

    def stop(self, timeout=TIMEOUT):
        """SIGTERM; gives the exit code once both pipes are read to their end."""
        self.ended_by_test = True
        self.process.send_signal(signal.SIGTERM)
        return self.wait(timeout)

    def wait(self, timeout=TIMEOUT):
        self.ended_by_test = True
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                "the gateway did not stop:\n" + self.stderr.text()[-4000:]
            ) from None
        self.stdout.wait_end(), self.stderr.wait_end()
        return code

    def kill(self):
        self.ended_by_test = True
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def pid(self):
        return self.process.pid

    def peak_rss(self):
        """The most resident memory so far, in bytes; always 0 under a sanitizer."""
        if os.environ.get("PATCHBAY_TEST_SANITIZED"):
            return 0
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def rss(self):
        """Resident memory in bytes; always 0 under a sanitizer, where it means nothing."""
        if os.environ.get("PATCHBAY_TEST_SANITIZED"):
            return 0
        fields = pathlib.Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def children(self):
        """The pids of the direct child processes that run."""
        found = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            try:
                found += (task / "children").read_text(encoding="ascii").split()
            except OSError:
                continue
        return [int(pid) for pid in found if alive(int(pid))]

    def connect(self, timeout=TIMEOUT):
        return Connection("127.0.0.1", self.port, timeout)

    def get(self, path, headers=None):
        with self.connect() as connection:
            return connection.request("GET", path, headers)

    def ready(self):
        """True if every upstream is up."""
        return self.get("/ready").json()["status"] == "ready"

    def degraded(self):
        """True if the gateway serves and an upstream is down."""
        response = self.get("/ready")
        return response.status == 200 and response.json()["status"] == "degraded"

    def wait_ready(self):
        wait_until(self.ready, "/ready to be 200")

    def metric(self, name, **labels):
        """The value of one sample, or the sum of those that carry the labels; 0 when absent."""
        total = 0.0
        for line in self.get("/metrics").body.decode().splitlines():
            sample, _, value = line.rpartition(" ")
            bare, _, rest = sample.partition("{")
            if bare == name and all(f'{key}="{wanted}"' in rest for key, wanted in labels.items()):
                total += float(value)
        return total

    def log_calls(self):
        return [line for line in self.stderr.lines if " call " in f" {line} "]


class StdioFrontend:
    """`patchbay stdio`, or any stdio MCP server: lines in, lines out."""

    def __init__(self, command, env=None, cwd=None):
        self.process = subprocess.Popen(
            command,
            env=clean_environment(**(env or {})),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.stdout, self.stderr = Lines(self.process.stdout), Lines(self.process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def answer(self, request_id, start=0):
        """Waits for the answer with this id."""

        def matches(line):
            message = json.loads(line)
            return "method" not in message and message.get("id") == request_id

        return json.loads(self.stdout.wait_for(matches, start))

    def request(self, message):
        start = self.stdout.count()
        self.send(message)
        return self.answer(message["id"], start)

    def close_stdin(self, timeout=TIMEOUT):
        self.process.stdin.close()
        return self.process.wait(timeout)


def shell_command(*arguments):
    return " ".join(shlex.quote(argument) for argument in arguments)


def short(message):
    """A message, shortened for the report of a failed test."""
    text = json.dumps(message)
    return text if len(text) < 600 else text[:400] + " … " + text[-150:]


class TestCase(unittest.TestCase):
    """Assertions about JSON-RPC answers."""

    maxDiff = 2000

    def assert_error(self, message, code, reason=None):
        error = message.get("error")
        if not error or error.get("code") != code or not error.get("message"):
            self.fail(f"expected the error {code}, got {short(message)}")
        if reason and (error.get("data") or {}).get("reason") != reason:
            self.fail(f"expected the reason {reason}, got {short(message)}")

    def assert_same_text(self, got, wanted):
        """Like assertEqual for texts too large to print."""
        if got != wanted:
            self.fail(f"{len(got)} characters where {len(wanted)} were expected: {got[:80]!r}…")


main = unittest.main
