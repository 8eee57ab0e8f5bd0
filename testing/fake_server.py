#!/usr/bin/env python3
"""A stdio MCP server that misbehaves on request.

It is the child process of the whole-program tests: every fault that a real server can have is a
tool here, or a FAKE_* environment variable when the fault happens before the first call. One
thread, one event loop: a tool is a plain function, or a generator that yields the seconds it
wants to wait (or an Ask) while other calls go on. Only cheap imports, because the tests start
many of these.

  FAKE_SLOW_START=SECONDS  wait before reading anything
  FAKE_START_AFTER=PATH    wait until PATH exists before reading anything
  FAKE_START_CHATTER=1     write to stderr while waiting for that
  FAKE_STDERR=TEXT         write this line to stderr at the start
  FAKE_EXIT=CODE           exit at once with this code
  FAKE_EXIT_UNLESS=PATH    exit at once with code 1 unless PATH exists
  FAKE_START_LOG=PATH      append our pid to PATH at each start
  FAKE_STUBBORN=1          ignore SIGTERM and the end of stdin
  FAKE_CHATTY=1            send list_changed and a rubbish line before the initialize answer
  FAKE_PAGE=N              list tools N at a time, with cursors
  FAKE_ONLY=a,b            offer only these tools
  FAKE_MANY=N              offer this many tools that are called many0, many1, ...
  FAKE_FAT=BYTES           give every tool a description of this size
  FAKE_ENDLESS=same|new    there is always a next page, with the same cursor or a new one
  FAKE_TAG=TEXT            what whoami reports as tag
  FAKE_MUTE=METHOD         never answer this method
"""

import heapq
import json
import os
import select
import signal
import sys
import time

TOOLS = {}


def tool(function):
    TOOLS[function.__name__] = function
    return function


class Ask:
    """Yielded by a tool to send a request to the client and wait for its reply."""

    def __init__(self, method, params):
        self.method, self.params = method, params


class Call:
    """One tools/call in progress: its id, its arguments and the generator that answers it."""

    def __init__(self, server, request_id, params):
        self.server, self.id = server, request_id
        self.arguments = params.get("arguments") or {}
        self.meta = params.get("_meta") or {}
        self.steps = None
        self.ignores_cancel = False  # Continues although it was cancelled.

    def get(self, name, default=None):
        return self.arguments.get(name, default)


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


# The tools that behave.


@tool
def echo(call):
    return text(str(call.get("text", "")))


@tool
def add(call):
    return text(str(call.get("a", 0) + call.get("b", 0)))


@tool
def sleep(call):
    yield float(call.get("seconds", 1))
    return text(str(call.get("text", "slept")))


@tool
def until(call):
    """Answers once there is such a file."""
    while not os.path.exists(call.get("file", "")):
        yield 0.02
    return text(str(call.get("text", "there")))


@tool
def big(call):
    return text("x" * int(call.get("bytes", 1000)))


@tool
def progress(call):
    steps = int(call.get("steps", 3))
    for step in range(1, steps + 1):
        if "progressToken" in call.meta:
            call.server.notify(
                "notifications/progress",
                {"progressToken": call.meta["progressToken"], "progress": step, "total": steps},
            )
        yield float(call.get("delay", 0))
    return text("done")


@tool
def fail(call):
    return text(str(call.get("text", "no luck")), isError=True)


@tool
def whoami(call):
    yield float(call.get("seconds", 0))
    return text(json.dumps({"pid": os.getpid(), "tag": os.environ.get("FAKE_TAG", "")}))


@tool
def env(call):
    return text(json.dumps(dict(os.environ)))


@tool
def cwd(call):
    return text(os.getcwd())


@tool
def fds(call):
    return text(json.dumps(sorted(int(fd) for fd in os.listdir("/proc/self/fd"))))


@tool
def echo_meta(call):
    return text(json.dumps(call.meta))


@tool
def seen_cancelled(call):
    return text(json.dumps(call.server.cancelled))


@tool
def list_changed(call):
    name = str(call.get("name", "newcomer"))
    TOOLS[name] = TOOLS["echo"]
    call.server.notify("notifications/tools/list_changed")
    return text(name)


@tool
def ask_client(call):
    reply = yield Ask(str(call.get("method", "roots/list")), call.get("params") or {})
    return text(json.dumps({key: reply[key] for key in ("result", "error") if key in reply}))


@tool
def ask_when(call):
    """Asks once there is such a file."""
    while not os.path.exists(call.get("file", "")):
        yield 0.02
    reply = yield Ask(str(call.get("method", "roots/list")), call.get("params") or {})
    return text(json.dumps({key: reply[key] for key in ("result", "error") if key in reply}))


@tool
def ask_if_capable(call):
    """Asks according to the client's declared capabilities; an error if it refuses nevertheless."""
    for method, capability in (("sampling/createMessage", "sampling"), ("roots/list", "roots")):
        if capability in call.server.capabilities:
            reply = yield Ask(method, {} if capability == "roots" else {"messages": [], "maxTokens": 1})
            if "error" in reply:
                return text(json.dumps(reply["error"]), isError=True)
    return text(json.dumps(sorted(call.server.capabilities)))


@tool
def report_and_ask(call):
    """Reports that it has begun, then asks whether or not the client can be asked."""
    call.server.notify("notifications/message", {"level": "info", "data": "begun"})
    reply = yield Ask(str(call.get("method", "sampling/createMessage")), {"messages": [], "maxTokens": 1})
    return text(json.dumps(sorted(reply)))


@tool
def ask_and_fail(call):
    """Asks whether or not the client can be asked, and fails without an answer."""
    reply = yield Ask("roots/list", {})
    return text(json.dumps(reply), isError="error" in reply)


@tool
def ask_and_answer(call):
    """A question and the result of the call in one write."""
    call.server.send(
        {"jsonrpc": "2.0", "id": "asked", "method": str(call.get("method", "roots/list")), "params": {}}
    )
    return text(str(call.get("text", "answered")))


@tool
def ask_then_flood(call):
    """A question in the middle of a long write, then a line that makes every buffer move; the reply."""
    call.server.notify("notifications/filler", {"data": "x" * (1 << 20)})
    method, params = str(call.get("method", "roots/list")), call.get("params") or {}
    call.server.send({"jsonrpc": "2.0", "id": "kept", "method": method, "params": params})
    call.server.asked["kept"] = call
    call.server.flush()
    call.server.notify("notifications/filler", {"data": "x" * int(call.get("bytes", 1 << 20))})
    call.server.notify("notifications/message", {"level": "info", "data": "flooded"})
    while True:
        reply = yield 3600.0
        if reply is not None:
            return text(json.dumps({key: reply[key] for key in ("result", "error") if key in reply}))


@tool
def complain(call):
    sys.stderr.write(str(call.get("text", "complaint")) + "\n")
    sys.stderr.flush()
    return text("complained")


@tool
def grandchild(call):
    """Starts a process that outlives us unless the whole group is killed; reports its pid."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for fd in (0, 1, 2):
            os.close(fd)
        while True:
            time.sleep(60)
    return text(str(pid))


@tool
def runaway(call):
    """Starts a process in a session of its own, whose parent is gone; reports its pid."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        inner = os.fork()
        if inner > 0:
            os.write(writer, str(inner).encode())
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for fd in (0, 1, 2, reader, writer):
            os.close(fd)
        while True:
            time.sleep(60)
    os.waitpid(child, 0)
    pid = os.read(reader, 20).decode()
    os.close(reader)
    os.close(writer)
    return text(pid)


@tool
def peek(call):
    """Tries to read a file: its text, or the name of the error."""
    try:
        with open(str(call.get("path")), "rb") as file:
            return text(file.read(1 << 16).decode("latin-1"))
    except OSError as why:
        return text(type(why).__name__)


# The tools that do not.


@tool
def die(call):
    os._exit(int(call.get("code", 1)))


@tool
def hang(call):
    while True:
        yield 3600.0


@tool
def hang_all(call):
    """Stops reading stdin, and answers nothing any more."""
    while True:
        time.sleep(3600)


@tool
def late(call):
    """Answers after this time, cancelled or not."""
    call.ignores_cancel = True
    yield float(call.get("seconds", 1))
    return text(str(call.get("text", "late")))


@tool
def twice(call):
    answer = text(str(call.get("text", "first")))
    call.server.send({"jsonrpc": "2.0", "id": call.id, "result": answer})
    return text("the second answer")


@tool
def unknown_id(call):
    for stranger in (987654321, "nobody", None, -1, 1.5, {"a": 1}):
        call.server.send({"jsonrpc": "2.0", "id": stranger, "result": text("stray")})
    return text(str(call.get("text", "mine")))


@tool
def rubbish(call):
    for _ in range(int(call.get("lines", 3))):
        call.server.raw(b"this is not JSON {[\n")
    call.server.raw(b'\n\xff\xfe\n[]\n42\n"text"\n{}\n{"jsonrpc":"2.0"}\n')
    return text("after the rubbish")


@tool
def bad_answer(call):
    """An answer with neither result nor error."""
    call.server.send({"jsonrpc": "2.0", "id": call.id})
    while True:
        yield 3600.0


@tool
def rpc_error(call):
    call.server.send(
        {
            "jsonrpc": "2.0",
            "id": call.id,
            "error": {
                "code": int(call.get("code", -32099)),
                "message": str(call.get("text", "refused")),
                "data": {"why": "asked"},
            },
        }
    )
    while True:
        yield 3600.0


@tool
def flood_stdout(call):
    """Writes this many bytes without a newline."""
    left, block = int(call.get("bytes", 1 << 20)), b"z" * 65536
    while left > 0:
        call.server.raw(block[:left])
        call.server.flush()
        left -= len(block)
    call.server.raw(b"\n")
    return text("flooded")


@tool
def flood_stderr(call):
    left = int(call.get("bytes", 1 << 20))
    line = b"noise " * 16 + b"\n"
    while left > 0:
        left -= os.write(2, line * 64)
    return text("flooded")


@tool
def flood_notifications(call):
    note = (
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'
    )
    for _ in range(int(call.get("n", 1000)) // 100):
        call.server.raw(note * 100)
        call.server.flush()
    return text("flooded")


@tool
def close_stdout(call):
    os.close(1)
    while True:
        time.sleep(3600)


class Server:
    """The event loop: lines in, timers, lines out in as few writes as possible."""

    def __init__(self):
        self.out = []
        self.timers = []  # (when, sequence, call, value to send into the generator)
        self.sequence = 0
        self.calls = {}  # request id -> Call still running
        self.asked = {}  # our own request id -> Call waiting for the reply
        self.cancelled = []
        self.capabilities = {}  # Of the client, as declared.

    def raw(self, data):
        self.out.append(data)

    def send(self, message):
        self.out.append(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def flush(self):
        data = memoryview(b"".join(self.out))
        self.out.clear()
        while data:
            data = data[os.write(1, data) :]

    def run(self):
        stubborn = os.environ.get("FAKE_STUBBORN")
        buffer = b""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        while True:
            self.flush()
            wait = (
                None if not self.timers else max(0, (self.timers[0][0] - time.monotonic()) * 1000)
            )
            if poll.poll(wait):
                data = os.read(0, 1 << 18)
                if not data:
                    if not stubborn:
                        return
                    poll.unregister(0)
                    self.later(3600, Call(self, None, {}), None)
                buffer += data
                if b"\n" in data:
                    *lines, buffer = buffer.split(b"\n")
                    for line in lines:
                        self.receive(json.loads(line))
            while self.timers and self.timers[0][0] <= time.monotonic():
                _, _, call, value = heapq.heappop(self.timers)
                self.step(call, value)

    def receive(self, message):
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            call = self.asked.pop(message.get("id"), None)
            if call:
                self.step(call, message)
        elif "id" not in message:
            if method == "notifications/cancelled":
                self.cancel(params)
        elif method == os.environ.get("FAKE_MUTE"):
            pass
        elif method == "tools/call":
            self.start(message["id"], params)
        elif method in METHODS:
            METHODS[method](self, message["id"], params)
        else:
            self.refuse(message["id"], -32601, "no method " + method)

    def refuse(self, request_id, code, why):
        self.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": why}})

    def answer(self, request_id, result):
        self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def start(self, request_id, params):
        function = TOOLS.get(params.get("name"))
        if function is None:
            return self.refuse(request_id, -32602, "no tool " + str(params.get("name")))
        call = Call(self, request_id, params)
        if function.__code__.co_flags & 0x20:  # A generator.
            call.steps = function(call)
            self.calls[request_id] = call
            self.step(call, None)
        else:
            self.answer(request_id, function(call))

    def step(self, call, value):
        if call.steps is None or (self.calls.get(call.id) is not call and not call.ignores_cancel):
            return
        try:
            yielded = call.steps.send(value)
        except StopIteration as done:
            self.calls.pop(call.id, None)
            return self.answer(call.id, done.value)
        if isinstance(yielded, Ask):
            self.sequence += 1
            ask_id = "ask-%d" % self.sequence
            self.asked[ask_id] = call
            self.send(
                {"jsonrpc": "2.0", "id": ask_id, "method": yielded.method, "params": yielded.params}
            )
        else:
            self.later(yielded, call, None)

    def later(self, seconds, call, value):
        self.sequence += 1
        heapq.heappush(self.timers, (time.monotonic() + seconds, self.sequence, call, value))

    def cancel(self, params):
        call = self.calls.pop(params.get("requestId"), None)
        self.cancelled.append(
            {
                "id": params.get("requestId"),
                "known": call is not None,
                "tag": call.get("tag") if call else None,
            }
        )


def initialize(server, request_id, params):
    server.capabilities = params.get("capabilities") or {}
    if os.environ.get("FAKE_CHATTY"):
        server.notify("notifications/tools/list_changed")
        server.raw(b"Server starting up...\n")
    server.answer(
        request_id,
        {
            "protocolVersion": params.get("protocolVersion", "2025-11-25"),
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fake", "version": "1.0"},
        },
    )


def list_tools(server, request_id, params):
    only = os.environ.get("FAKE_ONLY")
    names = only.split(",") if only else list(TOOLS)
    if os.environ.get("FAKE_MANY"):
        names = ["many%d" % number for number in range(int(os.environ["FAKE_MANY"]))]
    if os.environ.get("FAKE_ENDLESS"):
        return endless(server, request_id, params)
    first, page = int(params.get("cursor") or 0), int(os.environ.get("FAKE_PAGE") or len(names))
    result = {"tools": [describe(name) for name in names[first : first + page]]}
    if first + page < len(names):
        result["nextCursor"] = str(first + page)
    server.answer(request_id, result)


def endless(server, request_id, params):
    page = int(params.get("cursor") or 0) + 1
    cursor = "1" if os.environ["FAKE_ENDLESS"] == "same" else str(page)
    server.answer(request_id, {"tools": [describe("page%d" % page)], "nextCursor": cursor})


NUMBERS = ("a", "b", "seconds", "bytes", "steps", "delay", "n", "lines", "code")


def describe(name):
    arguments = {"add": ("a", "b"), "sleep": ("seconds", "text"), "echo": ("text",)}.get(name, ())
    properties = {key: {"type": "number" if key in NUMBERS else "string"} for key in arguments}
    fat = int(os.environ.get("FAKE_FAT") or 0)
    return {
        "name": name,
        "description": "x" * fat or "The fake tool " + name + ".",
        "inputSchema": {"type": "object", "properties": properties},
    }


METHODS = {
    "initialize": initialize,
    "tools/list": list_tools,
    "ping": lambda server, request_id, params: server.answer(request_id, {}),
}


def main():
    environ = os.environ
    if environ.get("FAKE_START_LOG"):
        with open(environ["FAKE_START_LOG"], "a", encoding="utf-8") as log:
            log.write("%d\n" % os.getpid())
    if environ.get("FAKE_STDERR"):
        print(environ["FAKE_STDERR"], file=sys.stderr, flush=True)
    if environ.get("FAKE_EXIT"):
        sys.exit(int(environ["FAKE_EXIT"]))
    if environ.get("FAKE_EXIT_UNLESS") and not os.path.exists(environ["FAKE_EXIT_UNLESS"]):
        sys.exit(1)
    if environ.get("FAKE_STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(float(environ.get("FAKE_SLOW_START") or 0))
    while environ.get("FAKE_START_AFTER") and not os.path.exists(environ["FAKE_START_AFTER"]):
        if environ.get("FAKE_START_CHATTER"):
            print("getting ready", file=sys.stderr, flush=True)
        time.sleep(0.02)
    try:
        Server().run()
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)


if __name__ == "__main__":
    main()
