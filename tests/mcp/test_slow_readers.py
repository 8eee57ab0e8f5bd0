"""Clients that read slowly: requested data waits for them, and notifications are dropped."""

import json
import pathlib
import socket
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Connection,
    Gateway,
    McpSession,
    TestCase,
    clean_environment,
    fake,
    main,
    text_of,
    wait_until,
)
from sse_client import SseClient

LARGE = 5_000_000
SEVERAL = 4  # More than the buffers of the kernel take.


class SlowGateway(Gateway):
    """A gateway whose clients have a small receive buffer, so that little is on its way to them."""

    def connect(self, timeout=30.0):
        connection = Connection.__new__(Connection)
        connection.host, connection.port, connection.buffer = "127.0.0.1", self.port, b""
        connection.socket = socket.socket()
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
        connection.socket.settimeout(timeout)
        connection.socket.connect(("127.0.0.1", self.port))
        return connection


def config(**limits):
    return {"workers": 2, "limits": limits, "upstreams": {"fake": fake(max_notifications=0)}}


def big(number):
    arguments = {"name": "fake__big", "arguments": {"bytes": LARGE}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": arguments}


class SseReader(TestCase):
    def read_events(self, connection, count):
        """The messages of the next `count` events. Joins what has arrived once, unlike events()."""
        text = bytearray(connection.buffer)
        while text.count(b"\n\n") < count:
            got = connection.socket.recv(1 << 20)
            self.assertTrue(got, "the stream ended")
            text += got
        connection.buffer = b""
        return text

    def test_large_answers_wait_for_the_client(self):
        with SlowGateway(config()) as gateway, SseClient(gateway) as client:
            client.initialize()
            for number in range(SEVERAL):
                self.assertEqual(client.post(big(f"big{number}")).status, 202)
            done = lambda: len([line for line in gateway.log_calls() if "fake__big" in line]) == SEVERAL
            wait_until(done, "all calls to end")
            # Nothing more is begun for this client, while others are served.
            echo = {"name": "fake__echo", "arguments": {"text": "after"}}
            late = {"jsonrpc": "2.0", "id": "late", "method": "tools/call", "params": echo}
            self.assertEqual(client.post(late).status, 202)
            with McpSession(gateway) as other:
                self.assertEqual(text_of(other.call("fake__echo", text="hello")), "hello")
            gateway.stderr.wait_for("fake__echo")
            echoes = [line for line in gateway.log_calls() if "fake__echo" in line]
            self.assertEqual(len(echoes), 1, echoes)
            text = self.read_events(client.connection, SEVERAL + 1)
            for number in range(SEVERAL):
                self.assertIn(b'"id":"big%d"' % number, text)
            self.assertGreater(text.count(b"x"), SEVERAL * LARGE)
            self.assertIn(b'"id":"late"', text)
            self.assertNotIn("limits.", gateway.stderr.text())

    def test_a_client_that_never_reads_ends_with_the_setting_in_the_log(self):
        limits = {"write_timeout": "300ms", "stream_keep_alive_interval": "100ms"}
        with SlowGateway(config(**limits)) as gateway, SseClient(gateway) as client:
            client.initialize()
            for number in range(SEVERAL):
                client.post(big(number))
            line = gateway.stderr.wait_for("event stream closed")
            self.assertIn("limit=limits.write_timeout", line)
            ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
            wait_until(lambda: client.post(ping).status == 404, "the session to end")

    def test_a_flood_of_notifications_does_not_end_the_session(self):
        with SlowGateway(config(max_stream_buffer_size="16KiB")) as gateway:
            with SseClient(gateway) as client:
                client.initialize()
                flood = {"name": "fake__progress", "arguments": {"steps": 60_000}}
                flood["_meta"] = {"progressToken": "p" * 100}
                call = {"jsonrpc": "2.0", "id": "flood", "method": "tools/call", "params": flood}
                client.post(call)
                line = gateway.stderr.wait_for("notifications dropped: the client")
                self.assertIn("limit=limits.max_stream_buffer_size", line)
                # The answer comes after what was queued; the session continues.
                while (message := client.next_message()).get("id") != "flood":
                    self.assertEqual(message["method"], "notifications/progress")
                self.assertEqual(text_of(message), "done")
                self.assertEqual(text_of(client.call("fake__echo", text="still here")), "still here")
                dropped = [line for line in gateway.stderr.lines if "notifications dropped" in line]
                self.assertEqual(len(dropped), 1)


class SteadyReader(TestCase):
    def test_little_lies_in_the_kernel(self):
        """A client that reads slowly makes room often, so that it is not taken for one that does not
        read at all: the kernel has not taken megabytes for it."""
        limits = {"write_timeout": "300ms", "stream_delay": "10ms"}
        with SlowGateway(config(**limits)) as gateway, McpSession(gateway) as session:
            there = pathlib.Path(gateway.folder.name) / "there"
            call = {"name": "fake__until", "arguments": {"file": str(there), "text": "y" * LARGE}}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
            connection = self.enterContext(gateway.connect())
            next(session.post(message, connection).events())
            there.touch()
            gateway.stderr.wait_for("limit=limits.write_timeout")
            taken = 0
            while got := connection.socket.recv(1 << 20):
                taken += len(got)
            self.assertLess(taken, LARGE // 3)


    def test_an_answer_that_nobody_takes_is_logged(self):
        limits = {"write_timeout": "300ms", "stream_delay": "20s"}
        with SlowGateway(config(**limits)) as gateway:
            connection = self.enterContext(gateway.connect())
            body = {"bytes": LARGE}
            connection.send("POST", "/api/fake.big", {"Content-Type": "application/json"}, body)
            line = gateway.stderr.wait_for("answer cut off")
            for wanted in ("client=127.0.0.1", "path=/api/fake.big", "limit=limits.write_timeout"):
                self.assertIn(wanted, line)
            self.assertEqual(len([one for one in gateway.stderr.lines if "answer cut off" in one]), 1)


class OtherReaders(TestCase):
    def test_a_large_answer_can_be_resumed(self):
        with Gateway(config(stream_delay="10ms")) as gateway, McpSession(gateway) as session:
            text = "y" * (LARGE // 2)
            there = pathlib.Path(gateway.folder.name) / "there"
            call = {"name": "fake__until", "arguments": {"file": str(there), "text": text}}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
            response = session.post(message)
            first = next(response.events())
            response.connection.close()
            there.touch()
            gateway.stderr.wait_for("fake__until")
            stream = session.open_stream(first.id)
            self.assert_same_text(text_of(next(stream.events()).json()), text)
            stream.connection.close()

    def test_large_answers_wait_for_a_client_on_stdio(self):
        with Gateway(config()) as gateway:  # For its folder and its configuration file.
            command = [BINARY, "stdio", "-c", str(gateway.config_path)]
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=clean_environment(),
            ) as process:
                initialize = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t"}}
                lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize}]
                lines += [big(number) for number in range(1, SEVERAL + 1)]
                process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
                process.stdin.flush()
                ended = 0
                while ended < SEVERAL:
                    ended += b"fake__big" in process.stderr.readline()
                answers = []
                while len(answers) < len(lines):
                    message = json.loads(process.stdout.readline())
                    if "method" not in message:
                        answers.append(message)
                self.assertEqual({answer["id"] for answer in answers}, set(range(SEVERAL + 1)))
                for answer in answers[1:]:
                    self.assertEqual(len(text_of(answer)), LARGE)
                process.stdin.close()
                process.stderr.read()


if __name__ == "__main__":
    main()
