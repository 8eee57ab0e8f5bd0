"""Shared by the tests of the guest agent: start it, send it lines, inspect its processes."""

import json
import os
import pathlib
import queue
import re
import signal
import socket
import subprocess
import tempfile
import threading

from harness import BINARY, TIMEOUT, Lines, TestCase, alive, clean_environment, wait_until

TOKEN = "a-token-of-the-agent-0123456789"
STATIC = str(pathlib.Path(BINARY).parent / "patchbay-agent")


class AgentError(Exception):
    """The error member of an answer."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message = error["code"], error["message"]


class Wire:
    """Lines in both directions. A thread reads the answers, so that no order of requests can block."""

    def __init__(self, reader, writer, close):
        self.writer, self.close_all = writer, close
        self.next_id = 1
        self.lines = queue.Queue()
        self.unread = []  # Messages that came while another was waited for.
        self.thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self.thread.start()

    def _read(self, reader):
        try:
            for line in reader:
                self.lines.put(line)
        except (OSError, ValueError):
            pass
        self.lines.put(None)

    def send(self, line):
        self.writer.write(line if isinstance(line, bytes) else line.encode())
        self.writer.flush()

    def line(self):
        """The next line as it came; None at the end of the stream."""
        return self.lines.get(timeout=TIMEOUT)

    def exchange(self, line):
        """Sends one line and gives the next one that comes."""
        self.send(line + b"\n" if isinstance(line, bytes) else line + "\n")
        return self.line()

    def begin(self, method, params=None, number=None):
        """Sends a request; the answer is fetched by its id."""
        if number is None:
            number, self.next_id = self.next_id, self.next_id + 1
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            request["params"] = params
        self.send(json.dumps(request) + "\n")
        return number

    def message(self, wanted):
        """The first message that satisfies the predicate; others are stored for later."""
        for i, message in enumerate(self.unread):
            if wanted(message):
                return self.unread.pop(i)
        while True:
            line = self.line()
            if line is None:
                raise AssertionError("the agent closed the connection")
            message = json.loads(line)
            if wanted(message):
                return message
            self.unread.append(message)

    def result(self, number):
        answer = self.message(lambda message: message.get("id") == number)
        if "error" in answer:
            raise AgentError(answer["error"])
        return answer["result"]

    def ask(self, method, params=None):
        return self.result(self.begin(method, params))

    def outputs(self):
        """The notifications that have come so far."""
        return [message for message in self.unread if message.get("method") == "output"]

    def close(self):
        self.close_all()


class Agent:
    """A running agent. On leaving the block it gets SIGTERM and must exit with 0."""

    def __init__(self, *args, listen="stdio", program=(BINARY, "agent"), env=None, cwd=None):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-agent-")
        self.path = os.path.join(self.folder.name, "agent.sock")
        where = {"unix": f"unix:{self.path}", "tcp": "tcp:127.0.0.1:0"}.get(listen, listen)
        self.listen, self.wires = listen, []
        # Every TCP listener requires a token. Connections show it unless the test gives one itself.
        self.presents_token = listen.startswith("tcp") and "--token-file" not in args
        if self.presents_token:
            token_file = pathlib.Path(self.folder.name, "token")
            token_file.write_text(TOKEN, encoding="ascii")
            token_file.chmod(0o600)
            args = (*args, "--token-file", str(token_file))
        self.process = subprocess.Popen(
            [*program, "--listen", where, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(**(env or {})),
            cwd=cwd,
        )
        self.pid = self.process.pid
        self.stderr = Lines(self.process.stderr)
        if listen != "stdio":
            self.where = self.stderr.wait_for("listening on").rpartition(" ")[2]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for wire in self.wires:
            wire.close()
        if self.process.poll() is None and self.listen != "stdio":
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        self.folder.cleanup()
        if exc[0] is None and code != 0:
            raise AssertionError(f"the agent exited with {code}:\n{self.stderr.text()}")

    def socket(self):
        if self.listen == "unix":
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(self.path)
        elif self.listen.startswith("vsock"):
            sock = socket.socket(socket.AF_VSOCK)
            sock.connect((1, int(self.where.rpartition(":")[2])))
        else:
            host, _, port = self.where.removeprefix("tcp:").rpartition(":")
            sock = socket.create_connection((host, int(port)))
        sock.settimeout(TIMEOUT)
        return sock

    def connect(self):
        """A new connection; over stdio, the only one."""
        if self.listen == "stdio":
            process = self.process

            def close():
                try:
                    process.stdin.close()
                except OSError:
                    pass

            wire = Wire(process.stdout, process.stdin, close)
        else:
            sock = self.socket()

            def close():
                # The thread that reads holds the socket open otherwise.
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                sock.close()

            wire = Wire(sock.makefile("rb"), sock.makefile("wb"), close)
            wire.socket = sock
        self.wires.append(wire)
        if self.presents_token:
            wire.ask("authenticate", {"token": TOKEN})
            wire.next_id = 1
        return wire

    def rss_kb(self, field="VmRSS"):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.search(rf"{field}:\s+(\d+)", status)[1])

    def children(self):
        """Processes below the agent, zombies included."""
        path = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(pid) for pid in path.read_text(encoding="ascii").split()]


def pid_from(path):
    """The number that a script writes into a file, once it has."""

    def read():
        try:
            text = pathlib.Path(path).read_text(encoding="ascii")
        except FileNotFoundError:
            return None
        return int(text) if text.endswith("\n") else None

    return wait_until(read, f"a pid in {path}")


class AgentTestCase(TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="patchbay-agent-test-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def assert_error(self, code, message, call, *args):
        with self.assertRaises(AgentError) as caught:
            call(*args)
        self.assertEqual((caught.exception.code, caught.exception.message), (code, message))

    def assert_gone(self, pid):
        wait_until(lambda: not alive(pid), f"process {pid} to end")
