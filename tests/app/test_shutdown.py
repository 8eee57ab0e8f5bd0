"""Shutdown: SIGTERM with calls in progress, stubborn children, orphans, a second signal."""

import json
import os
import pathlib
import signal
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    TIMEOUT,
    Background,
    ConnectionEnded,
    Gateway,
    McpSession,
    TestCase,
    alive,
    answer_from,
    fake,
    fake_config,
    main,
    process_state,
    stateless_headers,
    stateless_message,
    text_of,
    wait_until,
)


def pid_of(session, upstream="fake"):
    return json.loads(text_of(session.call(f"{upstream}__whoami")))["pid"]


class Terminating(TestCase):
    def load(self, gateway, count, tool, **arguments):
        """Sends one call on each of `count` connections, and waits until all are in flight."""
        connections = []
        for number in range(count):
            message = stateless_message(
                "tools/call",
                {"name": tool, "arguments": {"text": f"t{number}", **arguments}},
                number % 3,
            )
            connection = self.enterContext(gateway.connect())
            connection.send("POST", "/mcp", stateless_headers(message), message)
            connections.append(connection)
        wait_until(
            lambda: gateway.metric("patchbay_calls_in_flight") == count, "all calls in flight"
        )
        return connections

    def collect(self, connection, number):
        """Exactly one answer, then the end of the connection."""
        answer = answer_from(connection.read_head())
        self.assertEqual(answer["id"], number % 3)
        self.assertEqual(connection.wait_closed(), b"")
        return answer

    def test_calls_in_progress_are_finished(self):
        with Gateway(fake_config()) as gateway:
            connections = self.load(gateway, 40, "fake__sleep", seconds=1.5)
            children = gateway.children()
            code = Background(gateway.stop)
            for number, connection in enumerate(connections):
                self.assertEqual(text_of(self.collect(connection, number)), f"t{number}")
            self.assertEqual(code.result(), 0)
            self.assertEqual([pid for pid in children if alive(pid)], [])

    def test_calls_that_do_not_end_are_failed_once(self):
        config = fake_config({"fake": fake(stop_timeout="300ms")}, stop={"drain_timeout": "700ms"})
        with Gateway(config) as gateway:
            connections = self.load(gateway, 40, "fake__hang")
            code = Background(gateway.stop)
            for number, connection in enumerate(connections):
                self.assertIn("error", self.collect(connection, number))
            self.assertEqual(code.result(), 0)

    def test_a_batch_that_does_not_end_is_cut_off(self):
        config = fake_config({"fake": fake(stop_timeout="300ms")}, stop={"drain_timeout": "300ms"})
        with Gateway(config) as gateway, McpSession(gateway, "2025-03-26") as session:
            params = {"name": "fake__until", "arguments": {"file": "/nowhere"}}
            calls = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params} for n in range(3)]
            session.connection.send("POST", "/mcp", session.headers(), calls)
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 3, "the batch to run")
            self.assertEqual(gateway.stop(), 0)

    def test_calls_that_are_cut_off_are_recorded_as_such(self):
        config = fake_config(
            {"fake": fake(stop_timeout="300ms")},
            stop={"drain_timeout": "300ms"},
            audit={"file": "calls.jsonl", "required": True},
        )
        with Gateway(config) as gateway:
            connections = self.load(gateway, 5, "fake__hang")
            code = Background(gateway.stop)
            for number, connection in enumerate(connections):
                self.assertIn("error", self.collect(connection, number))
            self.assertEqual(code.result(), 0)
            text = (pathlib.Path(gateway.folder.name) / "calls.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len(records), 5)
        self.assertNotIn("ok", {record["outcome"] for record in records})

    def test_nothing_new_is_accepted(self):
        with Gateway(fake_config()) as gateway:
            connections = self.load(gateway, 1, "fake__sleep", seconds=2)
            code = Background(gateway.stop)

            def refused():
                try:
                    with gateway.connect() as connection:
                        return connection.request("GET", "/ready").status == 503
                except (
                    ConnectionRefusedError,
                    ConnectionResetError,
                    ConnectionEnded,
                    BrokenPipeError,
                ):
                    return True

            wait_until(refused, "new connections to be refused")
            self.assertEqual(text_of(self.collect(connections[0], 0)), "t0")
            self.assertEqual(code.result(), 0)

    def test_idle_connections_and_streams_do_not_hold_it(self):
        with Gateway(fake_config(stop={"drain_timeout": "20s"})) as gateway:
            sessions = [self.enterContext(McpSession(gateway)) for _ in range(5)]
            streams = [session.open_stream() for session in sessions]
            self.assertEqual(gateway.stop(timeout=min(TIMEOUT, 15)), 0)
            for stream in streams:
                self.assertEqual([event for event in stream.events() if event.data], [])
                stream.connection.close()

    def test_half_requests_do_not_hold_it_beyond_the_grace(self):
        with Gateway(fake_config(stop={"drain_timeout": "500ms"})) as gateway:
            whole = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
            for length in (1, 20, len(whole)):
                self.enterContext(gateway.connect()).send_raw(whole[:length])
            wait_until(lambda: gateway.metric("patchbay_connections") >= 3, "them to be accepted")
            self.assertEqual(gateway.stop(), 0)

    def test_interrupt_is_the_same(self):
        with Gateway(fake_config()) as gateway:
            gateway.process.send_signal(signal.SIGINT)
            self.assertEqual(gateway.wait(), 0)

    def test_the_port_is_free_afterwards(self):
        with Gateway() as gateway:
            gateway.get("/health")
            self.assertEqual(gateway.stop(), 0)
            with socket.socket() as again:
                again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                again.bind(("127.0.0.1", gateway.port))

    def test_a_second_signal_stops_at_once(self):
        config = fake_config(
            {"fake": fake(timeout="10m", stop_timeout="1m")},
            stop={"drain_timeout": "10m"},
            limits={"call_timeout": "10m"},
        )
        with Gateway(config) as gateway:
            children = gateway.children()
            self.load(gateway, 3, "fake__hang")
            gateway.process.send_signal(signal.SIGTERM)
            gateway.stderr.wait_for(lambda line: "stop" in line.lower() or "SIGTERM" in line)
            gateway.process.send_signal(signal.SIGTERM)
            gateway.wait()
            wait_until(lambda: not any(alive(pid) for pid in children), "the children to be gone")


class Pausing(TestCase):
    def test_calls_that_expired_during_a_pause_fail_once(self):
        """The whole gateway sleeps past their deadline, as on a suspended laptop."""
        config = fake_config({"fake": fake(timeout="1s")})
        with Gateway(config) as gateway, McpSession(gateway) as session:
            calls = [session.call_later("fake__sleep", seconds=0.8, text="x") for _ in range(10)]
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 10)
            gateway.process.send_signal(signal.SIGSTOP)
            wait_until(lambda: process_state(gateway.pid) == "T", "the gateway to be stopped")
            time.sleep(1.5)  # The pause itself, longer than the deadline.
            gateway.process.send_signal(signal.SIGCONT)
            for call in calls:
                answer = call.result()
                self.assertTrue("result" in answer or answer["error"]["code"] == -32001, answer)
            self.assertEqual(text_of(session.call("fake__echo", text="on")), "on")


class Orphans(TestCase):
    def test_a_stubborn_child_is_killed(self):
        upstreams = {"fake": fake(env={"FAKE_STUBBORN": "1"}, stop_grace="300ms")}
        with Gateway(fake_config(upstreams)) as gateway, McpSession(gateway) as session:
            pid = pid_of(session)
            self.assertEqual(gateway.stop(), 0)
            self.assertFalse(alive(pid))

    def test_a_polite_child_ends_by_end_of_input(self):
        with (
            Gateway(fake_config({"fake": fake(stop_grace="1m")})) as gateway,
            McpSession(gateway) as session,
        ):
            pid = pid_of(session)
            self.assertEqual(gateway.stop(), 0)
            self.assertFalse(alive(pid))

    def test_grandchildren_end_with_the_group(self):
        with (
            Gateway(fake_config({"fake": fake(stop_grace="300ms")})) as gateway,
            McpSession(gateway) as session,
        ):
            grandchild = int(text_of(session.call("fake__grandchild")))
            self.assertTrue(alive(grandchild))
            self.assertEqual(gateway.stop(), 0)
            wait_until(lambda: not alive(grandchild), "the grandchild to be gone")

    def test_grandchildren_of_a_crashed_child_end_too(self):
        with (
            Gateway(fake_config({"fake": fake(stop_grace="300ms")})) as gateway,
            McpSession(gateway) as session,
        ):
            grandchild = int(text_of(session.call("fake__grandchild")))
            os.kill(pid_of(session), signal.SIGKILL)
            wait_until(lambda: not alive(grandchild), "the grandchild to be gone")

    def test_a_killed_gateway_leaves_no_children(self):
        for stubborn in ("", "1"):
            with self.subTest(stubborn=stubborn):
                upstreams = {"fake": fake(instances=3, env={"FAKE_STUBBORN": stubborn})}
                with Gateway(fake_config(upstreams)) as gateway:
                    children = wait_until(
                        lambda: len(gateway.children()) == 3 and gateway.children()
                    )
                    gateway.kill()
                    wait_until(lambda: not any(alive(pid) for pid in children), "no orphan")

    def test_no_zombies(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            for _ in range(5):
                pid = wait_until(lambda: self.try_pid(session), "a child")
                session.call("fake__die")
                wait_until(
                    lambda: not os.path.exists(f"/proc/{pid}"), "the dead child to be reaped"
                )

    @staticmethod
    def try_pid(session):
        answer = session.call("fake__whoami")
        return "result" in answer and json.loads(text_of(answer))["pid"]

    def test_a_burst_of_signals_does_no_harm(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            for _ in range(50):
                for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD, signal.SIGURG):
                    gateway.process.send_signal(number)
            self.assertEqual(text_of(session.call("fake__echo", text="alive")), "alive")


if __name__ == "__main__":
    main()
