"""Streamable HTTP on one URL: sessions for the session-based revisions, none for 2026-07-28."""

import asyncio
import itertools
import json
import secrets

import stateless
from calls import Outlet
from errors import HEADER_MISMATCH, INVALID, PARSE, Refusal
from headers import check_headers
from http_wire import listen
from session_based import Session
from revisions import STATELESS, since

RETRY_MS = 100
STORED_EVENTS, STORED_STREAMS = 1000, 100


class EventStream(Outlet):
    """The events of one request, or those of a session that belong to none (number 0). It outlives
    connections: a client that returns with the id of the last event gets the rest."""

    def __init__(self, number, session):
        self.number, self.session = number, session
        self.events, self.count = {}, 0  # The last ones, by index.
        self.wire = None
        self.started, self.ended = asyncio.Event(), asyncio.Event()
        self.cut = asyncio.Event()  # Ends the connection that is being written to.
        self.dropping = False  # The next connection is closed once it has received the stored events.

    def name(self, index):
        return f"{self.number}-{index}"

    async def send(self, message):
        await self.add(json.dumps(message))

    async def add(self, data):
        index, self.count = self.count, self.count + 1
        self.events[index] = data
        self.events.pop(index - STORED_EVENTS, None)
        self.started.set()
        if self.wire:
            await self.write(index)

    async def write(self, index):
        priming = self.events[index] == ""
        try:
            await self.wire.event(
                self.events[index], self.name(index), None, RETRY_MS if priming else None
            )
        except ConnectionError:
            self.wire = None

    async def prime(self):
        """Something to resume from before anything was sent."""
        if self.session.revision == "2025-11-25" and not self.events:
            await self.add("")

    async def drop(self):
        if self.session.revision == "2025-11-25":
            await self.prime()
            self.dropping = self.wire is None
            self.cut.set()

    async def run(self, wire, after=-1, headers=None):
        """Writes to this connection until the stream ends, is cut or is resumed elsewhere."""
        self.cut.set()
        self.cut = cut = asyncio.Event()
        await wire.begin_events(headers)
        self.wire = wire
        for index in [index for index in self.events if index > after]:
            await self.write(index)
        if not self.dropping:
            waits = [asyncio.ensure_future(event.wait()) for event in (self.ended, cut)]
            await wire.wait_for(*waits)
            for wait in waits:
                wait.cancel()
        self.dropping = False
        if self.wire is wire:
            self.wire = None
        await wire.end_events()


class HttpSession(Session):
    def __init__(self, server):
        self.id = secrets.token_urlsafe(24)
        self.streams, self.numbers = {0: EventStream(0, self)}, itertools.count(1)
        super().__init__(server, self.streams[0])

    def new_stream(self):
        number = next(self.numbers)
        self.streams[number] = EventStream(number, self)
        ended = [n for n, stream in self.streams.items() if stream.ended.is_set()]
        for old in ended[:-STORED_STREAMS]:
            del self.streams[old]
        return self.streams[number]


class RequestStream(Outlet):
    """The events of one 2026-07-28 request: nothing to come back for."""

    def __init__(self, wire):
        self.wire, self.started = wire, False

    async def send(self, message):
        if not self.started:
            self.started = True
            await self.wire.begin_events()
        await self.wire.event(json.dumps(message))


def error(code, why, request_id=None):
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": why}}


class McpHttp:
    def __init__(self, server, always_stream=False):
        self.server, self.always_stream = server, always_stream
        self.sessions = {}

    async def handle(self, wire, request):
        if request.from_elsewhere():
            return await wire.answer(403, error(INVALID, "Host or Origin is not allowed"))
        if request.path != "/mcp":
            return await wire.answer(404)
        if request.method == "POST":
            return await self.post(wire, request)
        if request.method in ("GET", "DELETE") and self.server.session_based:
            return await self.get_or_delete(wire, request)
        await wire.answer(405, headers={"Allow": "POST"})

    async def post(self, wire, request):
        accepted = request.header("accept") or ""
        if "application/json" not in accepted or "text/event-stream" not in accepted:
            return await wire.answer(406, error(INVALID, "Both kinds must be acceptable"))
        if not (request.header("content-type") or "").startswith("application/json"):
            return await wire.answer(415, error(INVALID, "Content-Type must be application/json"))
        try:
            message = json.loads(request.body)
        except ValueError:
            return await wire.answer(400, error(PARSE, "This is not JSON"))
        if not isinstance(message, list | dict):
            return await wire.answer(400, error(INVALID, "This is no message"))
        if self.is_stateless(request, message):
            return await self.post_stateless(wire, request, message)
        await self.post_session(wire, request, message)

    def is_stateless(self, request, message):
        if not self.server.stateless:
            return False
        if not self.server.session_based or stateless.claim_of(message) is not None:
            return True
        return isinstance(message, dict) and request.header("mcp-protocol-version") == STATELESS

    # 2026-07-28.

    async def post_stateless(self, wire, request, message):
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return await wire.answer(400, error(INVALID, "This is no request"))
        self.server.record.incoming(STATELESS, message)
        if "id" not in message:
            return await wire.answer(202)
        try:
            self.check_stateless(request, message)
        except Refusal as refusal:
            refused = stateless.respond(self.server, message, {"error": refusal.error})
            return await wire.answer(refusal.status, refused)
        stream = RequestStream(wire)
        work = asyncio.ensure_future(stateless.serve(self.server, message, stream))
        await wire.wait_for(work)
        if not work.done():
            work.cancel()  # A closed stream is how a request is cancelled.
            raise ConnectionResetError
        status, response = work.result()
        if stream.started or (self.always_stream and status == 200):
            await stream.send(response)
            return await wire.end_events()
        await wire.answer(status, response)

    def check_stateless(self, request, message):
        version = request.header("mcp-protocol-version")
        if version is None and not self.server.session_based and stateless.claim_of(message) is None:
            raise Refusal(HEADER_MISMATCH, "MCP-Protocol-Version is missing", status=400)
        stateless.check_envelope(self.server, message, version or "")
        check_headers(request.headers, message)

    # The handshake revisions.

    async def post_session(self, wire, request, message):
        if isinstance(message, dict) and message.get("method") == "initialize":
            return await self.initialize(wire, message)
        session = await self.find_session(wire, request, message)
        if session is None:
            return
        if isinstance(message, list):
            return await self.post_batch(wire, session, message)
        if "method" not in message or "id" not in message:
            await session.receive(message, session.channel)
            return await wire.answer(202)
        await self.answer(wire, session, message)

    async def initialize(self, wire, message):
        session = HttpSession(self.server)
        response = await session.receive(message, session.channel)
        if "result" in response:
            self.sessions[session.id] = session
        headers = {"Mcp-Session-Id": session.id} if "result" in response else {}
        if not self.always_stream:
            return await wire.answer(200, response, headers)
        stream = session.new_stream()
        await stream.prime()
        await stream.send(response)
        stream.ended.set()
        await stream.run(wire, headers=headers)

    async def find_session(self, wire, request, message=None):
        request_id = message.get("id") if isinstance(message, dict) else None
        name = request.header("mcp-session-id")
        version = request.header("mcp-protocol-version")
        if name is None:
            await wire.answer(400, error(-32000, "Bad Request: Server not initialized", request_id))
        elif name not in self.sessions:
            await wire.answer(404, error(-32001, "Session not found", request_id))
        elif await self.version_fits(wire, version, self.sessions[name], request_id):
            return self.sessions[name]
        return None

    async def version_fits(self, wire, version, session, request_id):
        """The header that 2025-06-18 brought; older sessions do not look at it."""
        if not since(session.revision, "2025-06-18") or version == session.revision:
            return True
        if version is None:
            self.server.record.fault(session.revision, "no MCP-Protocol-Version")
            return True
        why = f"Bad Request: this session is not of {version}"
        await wire.answer(400, error(-32000, why, request_id))
        return False

    async def answer(self, wire, session, message):
        """As JSON if the answer is the first message, else as events."""
        stream = session.new_stream()
        work = asyncio.ensure_future(self.finish(session, message, stream))
        started = asyncio.ensure_future(stream.started.wait())
        await asyncio.wait({work, started}, return_when=asyncio.FIRST_COMPLETED)
        started.cancel()
        if work.done() and not stream.events and not self.always_stream and work.result():
            del session.streams[stream.number]
            return await wire.answer(200, work.result())
        await stream.run(wire)

    async def finish(self, session, message, stream):
        """The answer; the last event of the stream if that has begun."""
        if self.always_stream:
            await stream.prime()
        response = await session.receive(message, stream)
        if response and (stream.events or self.always_stream):
            await stream.send(response)
        stream.ended.set()
        return response

    async def post_batch(self, wire, session, messages):
        if session.revision != "2025-03-26" or not messages:
            return await wire.answer(400, error(INVALID, "There are no batches here"))
        work = [session.receive(message, session.channel) for message in messages]
        responses = [answer for answer in await asyncio.gather(*work) if answer is not None]
        if responses:
            return await wire.answer(200, responses)
        await wire.answer(202)

    async def get_or_delete(self, wire, request):
        session = await self.find_session(wire, request)
        if session is None:
            return
        if request.method == "DELETE":
            self.sessions.pop(session.id).close()
            for stream in session.streams.values():
                stream.ended.set()
            return await wire.answer(204)
        if "text/event-stream" not in (request.header("accept") or ""):
            return await wire.answer(406, error(INVALID, "Only events can be had"))
        number, _, index = (request.header("last-event-id") or "").partition("-")
        stream = session.streams.get(int(number) if number.isdigit() else 0)
        if stream is None or (number and not index.isdigit()):
            return await wire.answer(400, error(-32000, "There is no such event"))
        if not number:
            await stream.prime()
        await stream.run(wire, int(index) if number else -1)


async def streamable(server, host, port, always_stream):
    front = McpHttp(server, always_stream)
    listener, port = await listen(front.handle, host, port)
    return listener, f"http://{host}:{port}/mcp"
