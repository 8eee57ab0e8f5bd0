"""HTTP+SSE of 2024-11-05: GET /sse is the channel, messages are posted.

In the standard form the first event names where to post. In the custom form it does not: messages
go to /message, and belong to the stream that was opened last.
"""

import asyncio
import json
import secrets

from calls import Outlet
from errors import INVALID, PARSE
from http_mcp import error
from http_wire import listen
from session_based import Session


class SseChannel(Outlet):
    def __init__(self, wire):
        self.wire = wire

    async def send(self, message):
        await self.wire.event(json.dumps(message), event="message")


class McpSse:
    def __init__(self, server, custom):
        self.server, self.custom = server, custom
        self.sessions = {}  # By id; in the custom form all have the same.
        self.running = set()

    async def handle(self, wire, request):
        if request.from_elsewhere():
            return await wire.answer(403, error(INVALID, "Host or Origin is not allowed"))
        if request.method == "GET" and request.path == "/sse":
            return await self.stream(wire)
        if request.method == "POST" and request.path == "/message":
            return await self.post(wire, request)
        await wire.answer(404)

    async def stream(self, wire):
        session_id = "" if self.custom else secrets.token_urlsafe(16)
        session = self.sessions[session_id] = Session(self.server, SseChannel(wire))
        await wire.begin_events()
        if not self.custom:
            await wire.event(f"/message?sessionId={session_id}", event="endpoint")
        try:
            await wire.gone()
        finally:
            session.close()
            if self.sessions.get(session_id) is session:
                del self.sessions[session_id]

    async def post(self, wire, request):
        session_id = "" if self.custom else request.query.get("sessionId", ["none"])[0]
        session = self.sessions.get(session_id)
        if session is None:
            return await wire.answer(404, error(-32001, "Session not found"))
        try:
            message = json.loads(request.body)
        except ValueError:
            return await wire.answer(400, error(PARSE, "This is not JSON"))
        if not isinstance(message, dict):
            return await wire.answer(400, error(INVALID, "This is no message"))
        await wire.answer(202)
        work = asyncio.ensure_future(self.answer(session, message))
        self.running.add(work)
        work.add_done_callback(self.running.discard)

    async def answer(self, session, message):
        response = await session.receive(message, session.channel)
        if response is not None:
            await session.channel.send(response)


async def sse(server, host, port, custom):
    listener, port = await listen(McpSse(server, custom).handle, host, port)
    return listener, f"http://{host}:{port}" + ("" if custom else "/sse")
