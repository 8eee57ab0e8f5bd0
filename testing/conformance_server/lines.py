"""One message per line: over stdin and stdout, TCP, or a Unix socket, session-based and stateless."""

import asyncio
import json
import os
import sys
import tempfile

import stateless
from calls import Outlet
from errors import INVALID, PARSE, Refusal
from session_based import Session
from revisions import STATELESS

LINE_LIMIT = 64 << 20


class LineChannel(Outlet):
    def __init__(self, writer):
        self.writer = writer

    async def send(self, message):
        self.writer.write(json.dumps(message).encode() + b"\n")
        await self.writer.drain()


class Conversation:
    """All messages of one connection. Each request runs in a task of its own."""

    def __init__(self, server, reader, writer):
        self.server, self.reader = server, reader
        self.channel = LineChannel(writer)
        self.session = Session(server, self.channel)
        self.running = {}  # Requests of 2026-07-28, by id.
        self.tasks = set()

    async def run(self):
        try:
            while line := await self.reader.readline():
                if line.strip():
                    self.spawn(self.receive(line))
        finally:
            for task in list(self.tasks):
                task.cancel()
            self.session.close()

    def spawn(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def receive(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return await self.refuse(PARSE, "This is not JSON")
        if isinstance(message, list):
            return await self.receive_batch(message)
        if not isinstance(message, dict):
            return await self.refuse(INVALID, "This is no message")
        response = await self.answer(message)
        if response is not None:
            await self.channel.send(response)

    async def refuse(self, code, why):
        await self.channel.send({"jsonrpc": "2.0", "error": {"code": code, "message": why}})

    async def receive_batch(self, messages):
        """Only 2025-03-26 has them."""
        if self.session.revision != "2025-03-26" or not messages:
            return await self.refuse(INVALID, "There are no batches here")
        responses = await asyncio.gather(*map(self.answer, messages))
        if answers := [response for response in responses if response is not None]:
            await self.channel.send(answers)

    async def answer(self, message):
        if self.server.stateless and self.is_stateless(message):
            return await self.answer_stateless(message)
        if not self.server.session_based:
            return None
        return await self.session.receive(message, self.channel)

    def is_stateless(self, message):
        """Stateless messages, and everything but answers where nothing else is supported."""
        if stateless.claim_of(message) is not None or not self.server.session_based:
            return True
        cancelled = message.get("method") == "notifications/cancelled"
        return cancelled and message.get("params", {}).get("requestId") in self.running

    async def answer_stateless(self, message):
        self.server.record.incoming(STATELESS, message)
        if "id" not in message or "method" not in message:
            work = self.running.get((message.get("params") or {}).get("requestId"))
            if message.get("method") == "notifications/cancelled" and work:
                work.cancel()
            return None
        try:
            stateless.check_envelope(self.server, message)
        except Refusal as refusal:
            return stateless.respond(self.server, message, {"error": refusal.error})
        work = asyncio.ensure_future(stateless.serve(self.server, message, self.channel))
        self.running[message["id"]] = work
        try:
            await asyncio.wait({work})
        finally:
            self.running.pop(message["id"], None)
            work.cancel()
        return None if work.cancelled() else work.result()[1]


async def stdio(server):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(LINE_LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    await Conversation(server, reader, writer).run()


def on_connection(server):
    async def serve(reader, writer):
        try:
            await Conversation(server, reader, writer).run()
        except ConnectionError:
            pass
        finally:
            writer.close()

    return serve


async def tcp(server, host, port):
    listener = await asyncio.start_server(on_connection(server), host, port, limit=LINE_LIMIT)
    return listener, "tcp://%s:%d" % listener.sockets[0].getsockname()[:2]


async def unix(server, path):
    path = path or os.path.join(tempfile.mkdtemp(), "conformance.sock")
    listener = await asyncio.start_unix_server(on_connection(server), path, limit=LINE_LIMIT)
    return listener, f"unix:{path}"
