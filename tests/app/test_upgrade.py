"""A running gateway is replaced by a new process (SIGUSR2), and started by a service manager: listening
sockets that it inherits, and what it reports on NOTIFY_SOCKET."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    SCALE,
    TIMEOUT,
    Background,
    Gateway,
    McpSession,
    TestCase,
    alive,
    answer_from,
    fake,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    text_of,
    wait_until,
)


class Upgraded(Gateway):
    """A gateway that has been replaced stays the same for its clients; `current` is its process."""

    def __enter__(self):
        super().__enter__()
        self.current = self.process.pid
        return self

    def upgrade(self):
        """Replaces the process, and yields the id of the one before."""
        start = self.stderr.count()
        before, self.current = self.current, None
        os.kill(before, signal.SIGUSR2)
        line = self.stderr.wait_for(" replaced ", start)
        self.current = int(re.search(r"pid=(\d+)", line)[1])
        return before

    def __exit__(self, *arguments):
        pid = self.current
        if pid and pid != self.process.pid:
            os.kill(pid, signal.SIGTERM)
            wait_until(lambda: not alive(pid), "the new process to end")
            self.ended_by_test = True
            if self.process.wait(TIMEOUT) != 0:
                raise AssertionError("the replaced process failed:\n" + self.stderr.text()[-4000:])
        return super().__exit__(*arguments)


def call(connection, tool, number, **arguments):
    message = stateless_message("tools/call", {"name": tool, "arguments": arguments}, number)
    connection.send("POST", "/mcp", stateless_headers(message), message)
    response = connection.read_head()
    answer = answer_from(response)
    if answer["id"] != number or "error" in answer:
        raise AssertionError(f"not an answer to {number}: {answer}")
    return text_of(answer), response.header("connection") == "close"


class Client:
    """Calls without a pause. A connection is used until the server announces that it closes it."""

    def __init__(self, gateway, reuse, **arguments):
        self.gateway, self.reuse, self.arguments = gateway, reuse, arguments
        self.calls, self.ending = 0, threading.Event()
        self.work = Background(self.run)

    def run(self):
        connection = None
        while not self.ending.is_set():
            connection = connection or self.gateway.connect()
            text = f"{self.calls}"
            answered, closes = call(connection, self.arguments["tool"], self.calls, text=text,
                                    **self.arguments.get("more", {}))
            if answered != text:
                raise AssertionError(f"{answered} instead of {text}")
            self.calls += 1
            if closes or not self.reuse:
                connection.close()
                connection = None
        if connection:
            connection.close()

    def end(self):
        self.ending.set()
        self.work.result()
        return self.calls


class SessionClient(Client):
    """The same in one session, which it never begins again."""

    def __init__(self, gateway):
        self.session = McpSession(gateway)
        super().__init__(gateway, reuse=True)

    def run(self):
        session = self.session
        while not self.ending.is_set():
            message = {
                "jsonrpc": "2.0",
                "id": self.calls,
                "method": "tools/call",
                "params": {"name": "fake__echo", "arguments": {"text": f"{self.calls}"}},
            }
            response = session.post(message)
            if response.status != 200:
                raise AssertionError(f"{response.status} for call {self.calls}: {response.read()}")
            if text_of(answer_from(response)) != f"{self.calls}":
                raise AssertionError("not the answer to this call")
            self.calls += 1
            if response.header("connection") == "close":
                session.connection.close()
                session.connection = self.gateway.connect()
        session.connection.close()


class Upgrades(TestCase):
    def test_ten_upgrades_under_load(self):
        with Upgraded(fake_config()) as gateway:
            clients = [Client(gateway, reuse=True, tool="fake__echo") for _ in range(3)]
            clients += [Client(gateway, reuse=False, tool="fake__echo") for _ in range(2)]
            slow = {"tool": "fake__sleep", "more": {"seconds": 0.3}}
            clients += [Client(gateway, reuse=True, **slow) for _ in range(3)]
            for _ in range(max(2, int(10 * SCALE))):
                before = gateway.upgrade()
                wait_until(lambda: not alive(before), "the replaced process to end")
            for client in clients:
                self.assertGreater(client.end(), 0)

    def test_a_call_in_progress_is_finished_by_the_old_process(self):
        with Upgraded(fake_config()) as gateway, gateway.connect() as connection:
            message = stateless_message(
                "tools/call", {"name": "fake__sleep", "arguments": {"text": "late", "seconds": 2}}
            )
            connection.send("POST", "/mcp", stateless_headers(message), message)
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
            before = gateway.upgrade()
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="new")), "new")
            self.assertTrue(alive(before))
            self.assertEqual(text_of(answer_from(connection.read_head())), "late")
            wait_until(lambda: not alive(before), "the replaced process to end")

    def test_an_idle_connection_is_served_once_more(self):
        with Upgraded(fake_config()) as gateway, gateway.connect() as connection:
            self.assertEqual(call(connection, "fake__echo", 1, text="a"), ("a", False))
            gateway.upgrade()
            self.assertEqual(call(connection, "fake__echo", 2, text="b"), ("b", True))

    def test_sessions_go_on_under_load(self):
        with (
            tempfile.TemporaryDirectory() as state,
            Upgraded(fake_config(state=state)) as gateway,
        ):
            clients = [SessionClient(gateway) for _ in range(4)]
            for _ in range(max(2, int(5 * SCALE))):
                before = gateway.upgrade()
                wait_until(lambda: not alive(before), "the replaced process to end")
            for client in clients:
                self.assertGreater(client.end(), 0)
            # No client has begun a second session.
            self.assertEqual(gateway.metric("patchbay_sessions"), len(clients))

    def test_a_session_that_ends_in_one_process_ends_in_the_other(self):
        with (
            tempfile.TemporaryDirectory() as state,
            Upgraded(fake_config(state=state)) as gateway,
        ):
            session = self.enterContext(McpSession(gateway))
            # Keeps the old process, which answers one more request on an idle connection.
            slow = session.call_later("fake__sleep", seconds=4, text="late")
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
            idle = session.connection
            gateway.upgrade()
            session.connection = self.enterContext(gateway.connect())
            self.assertEqual(text_of(session.call("fake__echo", text="new")), "new")
            fields = session.headers(**{"Content-Type": None})
            self.assertEqual(idle.request("DELETE", "/mcp", fields).status, 204)
            idle.close()

            def ended():
                session.connection.close()
                session.connection = gateway.connect()
                return session.post({"jsonrpc": "2.0", "id": 7, "method": "ping"}).status == 404

            wait_until(ended, "the session to end in the new process")
            slow.result()

    def test_all_listeners_are_handed_over(self):
        config = fake_config(wire={"tcp": "127.0.0.1:0"})
        with Upgraded(config) as gateway:
            line = gateway.stdout.wait_for("tcp://")
            port = int(re.search(r"tcp://127\.0\.0\.1:(\d+)", line)[1])
            before = gateway.upgrade()
            wait_until(lambda: not alive(before), "the replaced process to end")
            socket.create_connection(("127.0.0.1", port), TIMEOUT).close()
            listening = [one for one in gateway.stdout.lines if "tcp://" in one]
            self.assertEqual(listening[0], listening[1])

    def test_secrets_of_the_environment_are_passed_on(self):
        secret = "pb_" + "s" * 40
        upstream = fake(env={"SECRET": "${env:UPGRADE_SECRET}"})
        with Upgraded(fake_config({"fake": upstream}), env={"UPGRADE_SECRET": secret}) as gateway:
            before = gateway.upgrade()
            wait_until(lambda: not alive(before), "the replaced process to end")
            before = gateway.upgrade()
            wait_until(lambda: not alive(before), "the replaced process to end")
            shown = json.loads(text_of(stateless_call(gateway, "fake__env")))
            self.assertEqual(shown["SECRET"], secret)

    def test_a_new_process_that_cannot_start_changes_nothing(self):
        with Upgraded(fake_config()) as gateway:
            gateway.config_path.write_text("upstreams: [")
            start = gateway.stderr.count()
            os.kill(gateway.pid, signal.SIGUSR2)
            line = gateway.stderr.wait_for("upgrade failed", start)
            self.assertIn("ended before it was ready", line)
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="still")), "still")
            gateway.write_config(fake_config())
            gateway.upgrade()

    def test_a_new_process_that_hangs_is_killed(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        start = folder / "start"
        start.touch()
        config = fake_config(
            {"fake": fake(env={"FAKE_START_AFTER": str(start)})}, stop={"upgrade_timeout": "500ms"}
        )
        with Gateway(config) as gateway:
            start.unlink()
            gateway.process.send_signal(signal.SIGUSR2)
            wait_until(lambda: others(gateway.pid), "the new process")
            (new,) = others(gateway.pid)
            wait_until(lambda: has_begun(new, gateway.pid), "the new process to begin")
            os.kill(new, signal.SIGSTOP)
            self.assertIn("upgrade_timeout", gateway.stderr.wait_for("upgrade failed"))
            wait_until(lambda: not alive(new), "it to be killed")
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="x")), "x")

    def test_a_stop_ends_both(self):
        slow = {"kind": "stdio", "command": "sleep", "args": ["600"]}
        with Upgraded(fake_config()) as gateway:
            gateway.write_config(fake_config({"slow": slow}))
            start = gateway.stderr.count()
            gateway.stderr.wait_for("reload", start)
            os.kill(gateway.pid, signal.SIGUSR2)
            gateway.stderr.wait_for("starting a new process", start)
            wait_until(lambda: len(others(gateway.pid)) == 1, "the new process")
            successor = others(gateway.pid)[0]
            self.assertEqual(gateway.stop(), 0)
            self.assertFalse(alive(successor))


def others(pid):
    """Children of that process that run the same program."""
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [int(one) for one in found if os.path.realpath(f"/proc/{one}/exe") == BINARY]


def has_begun(successor, pid):
    """It runs the new program: until then it shares its memory with its parent, which waits."""
    environment = pathlib.Path(f"/proc/{successor}/environ").read_bytes()
    return f"PATCHBAY_PREDECESSOR={pid}".encode() in environment.split(b"\0")


# Runs a program with a listening socket as a service manager does.
ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="web")
os.execv(sys.argv[2], sys.argv[2:])
"""


class ServiceManager(TestCase):
    def test_it_serves_on_an_inherited_socket(self):
        with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.TemporaryDirectory() as at:
            port = listener.getsockname()[1]
            number = listener.fileno()
            command = [sys.executable, "-c", ACTIVATE, str(number), BINARY, "serve"]
            command += ["--listen", f"127.0.0.1:{port}"]
            with subprocess.Popen(command, pass_fds=[number], cwd=at, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as process:
                try:
                    while process.stdout.readline().strip() != "ready":
                        self.assertIsNone(process.poll())
                    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as client:
                        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        self.assertIn(b"200", client.recv(100))
                finally:
                    process.terminate()
                    process.stdout.read()
                self.assertEqual(process.wait(TIMEOUT), 0)

    def test_what_it_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "notify")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(path)
                manager.settimeout(TIMEOUT)
                environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"}
                with Upgraded(fake_config(), env=environment) as gateway:
                    self.assertEqual(self.next_of(manager), "READY=1")
                    self.assertEqual(self.next_of(manager), "WATCHDOG=1")
                    gateway.write_config(fake_config(limits={"call_timeout": "7s"}))
                    self.assertIn("RELOADING=1\nMONOTONIC_USEC=", self.next_but(manager, "WATCH"))
                    self.assertEqual(self.next_but(manager, "WATCH"), "READY=1")
                    gateway.upgrade()
                    reported = [self.next_but(manager, "WATCH") for _ in range(2)]
                    self.assertEqual(sorted(reported), [f"MAINPID={gateway.current}", "READY=1"])
                self.assertEqual(self.next_but(manager, "WATCH"), "STOPPING=1")

    def next_of(self, manager):
        return manager.recv(4096).decode()

    def next_but(self, manager, start):
        while True:
            text = self.next_of(manager)
            if not text.startswith(start):
                return text


if __name__ == "__main__":
    main()
