"""Requests of 2026-07-28: each is independent and carries its envelope in `_meta`."""

import asyncio
import contextlib

import items
from calls import Call
from catalog import find_tool, run_tool
from errors import BAD_PARAMS, HEADER_MISMATCH, UNKNOWN_METHOD, UNSUPPORTED_VERSION
from errors import InputRequired, MissingCapability, Refusal, refusal_of
from questions import Rounds
from revisions import CAPABILITIES, LEVELS, LOG_LEVEL, STATELESS, SERVER_INFO, SUBSCRIPTION, TASKS
from revisions import VERSION, capabilities, server_info

CACHEABLE = {"ttlMs": 0, "cacheScope": "private"}


def claim_of(message):
    """The revision that a request names; None if it names none."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(VERSION) if isinstance(meta, dict) else None


def check_envelope(server, message, header=None):
    """Refuses a request that lacks a required member. `header` is the value of
    MCP-Protocol-Version, empty if it is absent; None where there are no headers."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict):
        raise Refusal(BAD_PARAMS, "params._meta is required", status=400)
    if not isinstance(meta.get(VERSION), str):
        raise Refusal(BAD_PARAMS, f"_meta must have {VERSION}", status=400)
    if header not in (None, meta[VERSION]):
        raise Refusal(HEADER_MISMATCH, "MCP-Protocol-Version differs from the body", status=400)
    if meta[VERSION] not in server.revisions or meta[VERSION] != STATELESS:
        data = {"supported": [STATELESS] + server.session_based[::-1], "requested": meta[VERSION]}
        raise Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data, 400)
    if not isinstance(meta.get(CAPABILITIES), dict):
        raise Refusal(BAD_PARAMS, f"_meta must have {CAPABILITIES}", status=400)
    if meta.get(LOG_LEVEL) not in (None, *LEVELS):
        raise Refusal(BAD_PARAMS, "There is no such level", status=400)


class Request:
    """One request from its envelope to its result."""

    def __init__(self, server, message, outlet):
        self.server, self.outlet, self.id = server, outlet, message["id"]
        self.method, self.params = message["method"], message["params"]
        self.meta = self.params["_meta"]
        self.client = self.meta[CAPABILITIES]

    async def notify(self, method, params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.server.record.outgoing(STATELESS, message)
        await self.outlet.send(message)

    def call(self):
        input_source = Rounds(self.server.seal, self.method, self.params)
        level = self.meta.get(LOG_LEVEL)
        return Call(
            self.server, STATELESS, self.params, self.client, input_source, self.notify, self.outlet, level
        )

    def has_tasks(self):
        return TASKS in self.client.get("extensions", {})

    async def result(self):
        function, more = METHODS.get(self.method, (None, None))
        if function is None:
            raise Refusal(UNKNOWN_METHOD, f"There is no method {self.method}", status=404)
        try:
            reply_body = {"resultType": "complete", **await function(self), **more}
        except InputRequired as required:
            reply_body = required.result
        return {**reply_body, "_meta": {**reply_body.get("_meta", {}), SERVER_INFO: server_info(STATELESS)}}


async def serve(server, message, outlet):
    """(HTTP status, response); the envelope has been checked."""
    try:
        status, answer = 200, {"result": await Request(server, message, outlet).result()}
    except asyncio.CancelledError:
        server.record.event(STATELESS, "cancelled", request=message["id"])
        raise
    except Exception as error:  # pylint: disable=broad-except
        refusal = refusal_of(error)
        status, answer = refusal.status, {"error": refusal.error}
    return status, respond(server, message, answer)


def respond(server, message, answer):
    response = {"jsonrpc": "2.0", "id": message["id"], **answer}
    server.record.outgoing(STATELESS, response, message["method"])
    return response


async def discover(request):
    return {
        "supportedVersions": [STATELESS] + request.server.session_based[::-1],
        "capabilities": capabilities(STATELESS),
        "instructions": "Call test_simple_text to begin with.",
    }


async def call_tool(request):
    entry, call = find_tool(request.params.get("name"), STATELESS), request.call()
    if not entry.task or not request.has_tasks():
        if entry.task == "required":
            raise MissingCapability({"extensions": {TASKS: {}}})
        return await run_tool(entry, call)
    if entry.first:
        call.prepared = await entry.first(call)
    server = request.server
    task = server.tasks.start(STATELESS, entry, call, server.task_changed)
    return {"resultType": "task", **task.view()}


def lister(kind):
    async def run(request):
        return request.server.list(kind, kind, STATELESS, request.params)

    return run


async def read(request):
    return items.read(request.params, STATELESS, request.server.counts)


async def complete(request):
    return items.complete(request.params)


async def get_prompt(request):
    return await items.get_prompt(request.call())


def task_of(request):
    if not request.has_tasks():
        raise MissingCapability({"extensions": {TASKS: {}}})
    return request.server.tasks.find(request.params, STATELESS)


async def get_task(request):
    return task_of(request).details()


async def update_task(request):
    answers = request.params.get("inputResponses")
    if not isinstance(answers, dict):
        raise Refusal(BAD_PARAMS, "inputResponses must be an object")
    await task_of(request).answer(answers)
    return {}


async def cancel_task(request):
    await task_of(request).cancel()
    return {}


class Listener:
    """An open subscriptions/listen: sends what was requested, tagged with the request's id."""

    KNOWN = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")

    def __init__(self, request, wanted):
        self.request = request
        self.honoured = {key: True for key in self.KNOWN if wanted.get(key)}
        for key in ("resourceSubscriptions", "taskIds"):
            if wanted.get(key):
                self.honoured[key] = wanted[key]

    async def send(self, method, params):
        meta = {SUBSCRIPTION: self.request.id}
        await self.request.notify(method, {**params, "_meta": meta})

    async def notify(self, key, value, method, params):
        wanted = self.honoured.get(key)
        if wanted is True or (isinstance(wanted, list) and value in wanted):
            with contextlib.suppress(ConnectionError):  # It is leaving just now.
                await self.send(method, params)


async def listen(request):
    wanted = request.params.get("notifications")
    if not isinstance(wanted, dict):
        raise Refusal(BAD_PARAMS, "notifications must be an object")
    listener = Listener(request, wanted)
    acknowledged = "notifications/subscriptions/acknowledged"
    await listener.send(acknowledged, {"notifications": listener.honoured})
    request.server.listeners.add(listener)
    try:
        await request.server.stopping.wait()
    finally:
        request.server.listeners.discard(listener)
    return {"_meta": {SUBSCRIPTION: request.id}}


# method -> (what answers it, what its result has besides)
METHODS = {
    "server/discover": (discover, CACHEABLE),
    "tools/list": (lister("tools"), CACHEABLE),
    "tools/call": (call_tool, {}),
    "prompts/list": (lister("prompts"), CACHEABLE),
    "prompts/get": (get_prompt, {}),
    "resources/list": (lister("resources"), CACHEABLE),
    "resources/templates/list": (lister("resourceTemplates"), CACHEABLE),
    "resources/read": (read, CACHEABLE),
    "completion/complete": (complete, {}),
    "subscriptions/listen": (listen, {}),
    "tasks/get": (get_task, {}),
    "tasks/update": (update_task, {}),
    "tasks/cancel": (cancel_task, {}),
}
