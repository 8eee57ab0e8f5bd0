"""A session of one of the session-based revisions: 2024-11-05 to 2025-11-25."""

import asyncio
import itertools

import items
from calls import Call
from catalog import find_tool, run_tool
from errors import BAD_PARAMS, INTERNAL, INVALID, UNKNOWN_METHOD
from errors import MissingCapability, Refusal, refusal_of
from questions import Push
from revisions import CAPABILITIES, LEVELS, RELATED_TASK, VERSION, capabilities, server_info, within
from tasks import TERMINAL, wait_for_result


class Session:
    """`channel` is the Outlet of what belongs to no request."""

    def __init__(self, server, channel):
        self.server, self.channel = server, channel
        self.revision, self.client, self.level = None, {}, LEVELS[0]
        self.subscribed, self.running, self.asked = set(), {}, {}
        self.ids, self.named = itertools.count(2), set()  # For our own requests.

    def close(self):
        self.server.sessions.discard(self)
        for work in self.running.values():
            work.cancel()
        for waiting in self.asked.values():
            waiting[1].cancel()

    # Out.

    async def send(self, outlet, message, method=None):
        message = {"jsonrpc": "2.0", **message}
        self.server.record.outgoing(self.revision, message, method)
        await outlet.send(message)

    async def notify(self, method, params=None, outlet=None):
        message = {"method": method, **({"params": params} if params else {})}
        await self.send(outlet or self.channel, message)

    def new_id(self, key):
        """The key of the question, if that was never used: a gateway to 2026-07-28 has no other means
        to know what the question is called."""
        name = key if key not in self.named else f"{key}-{next(self.ids)}"
        self.named.add(name)
        return name

    async def request(self, outlet, key, question):
        """Asks the client; its whole response."""
        request_id = self.new_id(key)
        future = asyncio.get_running_loop().create_future()
        self.asked[request_id] = (question["method"], future)
        try:
            await self.send(outlet, {"id": request_id, **question})
            return await future
        finally:
            self.asked.pop(request_id, None)

    # In.

    async def receive(self, message, outlet):
        """The response to a request; None to everything else."""
        method = message.get("method")
        if method is None:
            self.answered(message)
        elif "id" not in message:
            self.server.record.incoming(self.revision, message)
            self.notified(method, message.get("params") or {})
        else:
            return await self.serve(message, method, outlet)
        return None

    def answered(self, message):
        method, future = self.asked.get(message.get("id"), (None, None))
        self.server.record.incoming(self.revision, message, method)
        if future is None:
            self.server.record.fault(self.revision, "an answer to nothing", message)
        elif not future.done():
            future.set_result(message)

    def notified(self, method, params):
        if method == "notifications/initialized" and self.revision:
            self.server.sessions.add(self)
        work = self.running.get(params.get("requestId"))
        if method == "notifications/cancelled" and work:
            self.server.record.event(self.revision, "cancelled", request=params["requestId"])
            work.cancel()

    async def serve(self, message, method, outlet):
        if method == "initialize" and self.revision is None:
            self.agree(message.get("params") or {})
        self.server.record.incoming(self.revision or self.server.session_based[-1], message)
        request_id = message["id"]
        work = asyncio.ensure_future(self.answer(method, message.get("params"), outlet))
        self.running[request_id] = work
        try:
            await asyncio.wait({work})
        finally:
            self.running.pop(request_id, None)
            work.cancel()
        if work.cancelled():
            return None  # By the client, which no longer wants an answer.
        response = {"jsonrpc": "2.0", "id": request_id, **work.result()}
        self.server.record.outgoing(self.revision or self.server.session_based[-1], response, method)
        return response

    def agree(self, params):
        asked = params.get("protocolVersion")
        self.revision = asked if asked in self.server.session_based else self.server.session_based[-1]
        self.client = params.get("capabilities") or {}

    async def answer(self, method, params, outlet):
        first, last, function = METHODS.get(method, (None, None, None))
        try:
            if function is None or not within(self.revision or first, first, last):
                raise Refusal(UNKNOWN_METHOD, f"There is no method {method}")
            if self.revision is None and method != "ping":
                raise Refusal(INVALID, "The session is not initialized")
            if not isinstance(params, dict | None):
                raise Refusal(BAD_PARAMS, "params must be an object")
            self.look_for_newer(params or {})
            return {"result": await function(self, params or {}, outlet)}
        except Exception as error:  # pylint: disable=broad-except
            return {"error": refusal_of(error).error}

    def look_for_newer(self, params):
        """What only a later revision has, a client of this one has no business sending."""
        meta = params.get("_meta") or {}
        newer = [key for key in ("inputResponses", "requestState") if key in params]
        newer += [key for key in (VERSION, CAPABILITIES) if key in meta]
        newer += ["task"] if "task" in params and self.revision != "2025-11-25" else []
        for key in newer:
            self.server.record.fault(self.revision, f"{key} is not of this revision", params)

    def call(self, params, outlet, meta=None):
        async def notify(method, more):
            await self.notify(method, more, outlet)

        input_source = Push(self, outlet, meta)
        return Call(
            self.server, self.revision, params, self.client, input_source, notify, outlet, self.level
        )


async def initialize(session, _params, _outlet):
    if session in session.server.sessions:
        raise Refusal(INVALID, "The session is initialized already")
    revision = session.revision
    return {
        "protocolVersion": revision,
        "capabilities": capabilities(revision),
        "serverInfo": server_info(revision),
        "instructions": "Call test_simple_text to begin with.",
    }


async def call_tool(session, params, outlet):
    entry = find_tool(params.get("name"), session.revision)
    call = session.call(params, outlet)
    if session.revision != "2025-11-25":
        return await run_tool(entry, call)
    if "task" not in params:
        if entry.task == "required":
            raise Refusal(UNKNOWN_METHOD, f"{entry.name} runs only as a task")
        return await run_tool(entry, call)
    if not entry.task:
        raise Refusal(UNKNOWN_METHOD, f"{entry.name} does not run as a task")
    if entry.first:
        call.prepared = await entry.first(call)

    async def notify_status(task):
        await session.notify("notifications/tasks/status", task.view())

    return {"task": session.server.tasks.start(session.revision, entry, call, notify_status).view()}


async def get_prompt(session, params, outlet):
    try:
        return await items.get_prompt(session.call(params, outlet))
    except MissingCapability as missing:
        raise Refusal(INTERNAL, str(missing)) from None


def lister(kind):
    async def run(session, params, _outlet):
        return session.server.list(kind, kind, session.revision, params)

    return run


async def read(session, params, _outlet):
    return items.read(params, session.revision, session.server.counts)


async def subscribe(session, params, _outlet):
    items.read(params, session.revision, session.server.counts)
    session.subscribed.add(params["uri"])
    return {}


async def unsubscribe(session, params, _outlet):
    session.subscribed.discard(params.get("uri"))
    return {}


async def set_level(session, params, _outlet):
    if params.get("level") not in LEVELS:
        raise Refusal(BAD_PARAMS, "There is no such level")
    session.level = params["level"]
    return {}


async def complete(_session, params, _outlet):
    return items.complete(params)


async def ping(_session, _params, _outlet):
    return {}


async def get_task(session, params, _outlet):
    return session.server.tasks.find(params, session.revision).view()


async def task_result(session, params, outlet):
    task = session.server.tasks.find(params, session.revision)
    return await wait_for_result(task, Push(session, outlet, {RELATED_TASK: {"taskId": task.id}}))


async def list_tasks(session, params, _outlet):
    mine = [t.view() for t in session.server.tasks.all.values() if t.revision == session.revision]
    listed, cursor = items.page(mine, params, session.server.page)
    return {"tasks": listed, **({"nextCursor": cursor} if cursor else {})}


async def cancel_task(session, params, _outlet):
    task = session.server.tasks.find(params, session.revision)
    if task.status in TERMINAL:
        raise Refusal(BAD_PARAMS, f"The task is {task.status} already")
    await task.cancel()
    return task.view()


OLD, TASKED = ("2024-11-05", "2025-11-25"), ("2025-11-25", "2025-11-25")

# method -> (first and last revision that has it, what answers it)
METHODS = {
    "initialize": (*OLD, initialize),
    "ping": (*OLD, ping),
    "tools/list": (*OLD, lister("tools")),
    "tools/call": (*OLD, call_tool),
    "prompts/list": (*OLD, lister("prompts")),
    "prompts/get": (*OLD, get_prompt),
    "resources/list": (*OLD, lister("resources")),
    "resources/templates/list": (*OLD, lister("resourceTemplates")),
    "resources/read": (*OLD, read),
    "resources/subscribe": (*OLD, subscribe),
    "resources/unsubscribe": (*OLD, unsubscribe),
    "logging/setLevel": (*OLD, set_level),
    "completion/complete": (*OLD, complete),
    "tasks/get": (*TASKED, get_task),
    "tasks/result": (*TASKED, task_result),
    "tasks/list": (*TASKED, list_tasks),
    "tasks/cancel": (*TASKED, cancel_task),
}
