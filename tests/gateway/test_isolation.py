"""No answer ever crosses: many clients, all with the ids 0, 1, 2, …, while children are killed.

Each client owns a connection and sends one call after the other. The text of each call names the
client and the turn, and the answer must bring back exactly that text under exactly that id, or an
error under that id when the child was lost; one answer per request, no byte more. Half of the
clients use sessions, the other half 2026-07-28. PATCHBAY_TEST_SCALE shrinks the numbers.
"""

import asyncio
import contextlib
import json
import os
import random
import resource
import signal
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BOTH,
    SCALE,
    STATELESS,
    TIMEOUT,
    Gateway,
    TestCase,
    fake,
    fake_config,
    main,
    stateless_message,
    wait_until,
)

CLIENTS = max(10, int(1000 * SCALE))
CALLS = max(10, int(100 * min(1.0, SCALE * 2)))
LOST = (-32000, -32001, -32003)  # Upstream lost or not there, deadline, queue full.


class Client(asyncio.Protocol):
    """One connection; `done` is set when every call is answered, or holds the first violation."""

    def __init__(self, number, stateless, calls, port):
        self.number, self.stateless, self.calls, self.port = number, stateless, calls, port
        self.turn, self.session, self.buffer = -1, None, b""
        self.ok = self.lost = 0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport

    def begin(self):
        if self.stateless:
            self.next_call()
        else:
            self.send(
                {
                    "jsonrpc": "2.0",
                    "id": 0,
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {},
                        "clientInfo": {"name": "crowd", "version": "1"},
                    },
                },
                "",
            )

    def text(self):
        return f"client {self.number} turn {self.turn}"

    def next_call(self):
        self.turn += 1
        if self.turn == self.calls:
            self.done.set_result(None)
            return
        params = {"name": "fake__echo", "arguments": {"text": self.text()}}
        if self.stateless:
            self.send(
                stateless_message("tools/call", params, self.turn),
                f"MCP-Protocol-Version: {STATELESS}\r\nMcp-Method: tools/call\r\nMcp-Name: fake__echo\r\n",
            )
        else:
            self.send(
                {"jsonrpc": "2.0", "id": self.turn, "method": "tools/call", "params": params},
                f"Mcp-Session-Id: {self.session}\r\nMCP-Protocol-Version: 2025-06-18\r\n",
            )

    def send(self, message, headers):
        body = json.dumps(message)
        self.transport.write(
            (
                f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: {BOTH}\r\n"
                f"Content-Type: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}"
            ).encode()
        )

    def data_received(self, data):
        self.buffer += data
        try:
            while not self.done.done():
                answer = self.take_answer()
                if answer is None:
                    return
                self.receive(*answer)
            if self.buffer:
                raise AssertionError(f"more than was asked for: {self.buffer!r:.200}")
        except Exception as error:  # pylint: disable=broad-except
            self.fail(error)

    def take_answer(self):
        """(headers, message) of the next whole answer in the buffer, or None."""
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return None
        lowered = head.lower()
        if b"transfer-encoding: chunked" in lowered:
            end = rest.find(b"0\r\n\r\n")
            if end < 0 or not (end == 0 or rest[end - 2 : end] == b"\r\n"):
                return None
            datas = [
                line[5:]
                for line in rest[:end].split(b"\n")
                if line.startswith(b"data:") and line[5:].strip()
            ]
            if len(datas) != 1:
                raise AssertionError(f"{len(datas)} messages on the stream")
            self.buffer = rest[end + 5 :]
            return head, json.loads(datas[0])
        length = int(lowered.split(b"content-length:")[1].split(b"\r\n")[0])
        if len(rest) < length:
            return None
        body, self.buffer = rest[:length], rest[length:]
        return head, json.loads(body)

    def receive(self, head, message):
        if self.turn < 0:
            self.session = (
                head.decode().lower().split("mcp-session-id:")[1].split("\r\n")[0].strip()
            )
            # Header values keep their case; only the name was searched in lower case.
            at = head.decode().lower().index(self.session)
            self.session = head.decode()[at : at + len(self.session)]
        else:
            if message.get("id") != self.turn:
                raise AssertionError(f"{self.text()}: answered {message}")
            if "error" in message:
                if message["error"]["code"] not in LOST:
                    raise AssertionError(f"{self.text()}: {message}")
                self.lost += 1
            elif message["result"]["content"][0]["text"] != self.text():
                raise AssertionError(f"crossed: {self.text()} got {message}")
            else:
                self.ok += 1
        self.next_call()

    def connection_lost(self, error):
        self.fail(AssertionError(f"{self.text()}: connection lost {error}"))

    def fail(self, error):
        if not self.done.done():
            self.done.set_exception(error)


async def crowd(gateway, clients, calls, disturb=None):
    """Runs the clients to their end; gives (answered well, answered with an error)."""
    loop = asyncio.get_running_loop()
    protocols = []
    for number in range(clients):
        _, protocol = await loop.create_connection(
            lambda number=number: Client(number, number % 2 == 0, calls, gateway.port),
            "127.0.0.1",
            gateway.port,
        )
        protocols.append(protocol)
    trouble = asyncio.create_task(disturb()) if disturb else None
    try:
        for client in protocols:
            client.begin()
        await asyncio.wait_for(asyncio.gather(*(client.done for client in protocols)), TIMEOUT * 6)
        await asyncio.sleep(0)  # Lets anything that came too much be seen.
        for client in protocols:
            if client.buffer:
                raise AssertionError(f"left over: {client.buffer!r:.200}")
    finally:
        if trouble:
            trouble.cancel()
        for client in protocols:
            client.transport.abort()
    return sum(client.ok for client in protocols), sum(client.lost for client in protocols)


class Isolation(TestCase):
    @classmethod
    def setUpClass(cls):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65536) if most > 0 else 65536, most))

    def config(self, instances):
        upstream = fake(
            instances=instances,
            timeout="30s",
            restart={
                "initial_interval": "10ms",
                "max_interval": "100ms",
                "breaker_threshold": 1000,
                "window": "60s",
            },
        )
        return fake_config({"fake": upstream}, log={"calls": False})

    def test_undisturbed_every_call_is_answered_with_its_own(self):
        clients, calls = max(10, CLIENTS // 5), max(10, CALLS // 2)
        with Gateway(self.config(instances=2)) as gateway:
            ok, lost = asyncio.run(crowd(gateway, clients, calls))
            self.assertEqual((ok, lost), (clients * calls, 0))

    def test_children_killed_at_random_moments(self):
        with Gateway(self.config(instances=3)) as gateway:
            kills = []

            async def disturb():
                chance = random.Random(20260728)
                while True:
                    await asyncio.sleep(chance.uniform(0.02, 0.25))
                    children = gateway.children()
                    if children:
                        victim = chance.choice(children)
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(victim, signal.SIGKILL)
                            kills.append(victim)

            ok, lost = asyncio.run(crowd(gateway, CLIENTS, CALLS, disturb))
            self.assertEqual(ok + lost, CLIENTS * CALLS)
            self.assertGreater(ok, 0)
            if SCALE >= 1:
                self.assertGreater(len(kills), 3)
                self.assertGreater(lost, 0)
            total = gateway.metric("patchbay_calls_total")
            self.assertEqual(total, CLIENTS * CALLS)
            wait_until(
                lambda: gateway.metric("patchbay_calls_in_flight") == 0, "nothing to be left"
            )
            wait_until(gateway.ready, "the children to be back")


if __name__ == "__main__":
    main()
