"""An OpenTelemetry collector inside the test: takes OTLP over HTTP in both encodings and stores it
in one form. It can be made to misbehave:

    collector.on["traces"] = lambda request: request.answer(503)

`spans()`, `points(name)` and `lines()` are what it has accepted; ids are hexadecimal, attributes
are a dict.
"""

import http.server
import json
import socket
import struct
import threading
import typing

SIGNALS = {"/v1/traces": "traces", "/v1/metrics": "metrics", "/v1/logs": "logs"}


# The protobuf messages of opentelemetry-proto v1: number -> (name, kind). A kind is a dict for a
# message, a list around a kind for a repeated field.
VALUE = {1: ("stringValue", "text"), 3: ("intValue", "varint"), 4: ("doubleValue", "real")}
PAIR = {1: ("key", "text"), 2: ("value", VALUE)}
RESOURCE = {1: ("attributes", [PAIR])}
SCOPE = {1: ("name", "text"), 2: ("version", "text")}
LINK = {1: ("traceId", "id"), 2: ("spanId", "id"), 6: ("flags", "fixed32")}
STATUS = {2: ("message", "text"), 3: ("code", "varint")}
SPAN = {
    1: ("traceId", "id"),
    2: ("spanId", "id"),
    3: ("traceState", "text"),
    4: ("parentSpanId", "id"),
    5: ("name", "text"),
    6: ("kind", "varint"),
    7: ("startTimeUnixNano", "fixed64"),
    8: ("endTimeUnixNano", "fixed64"),
    9: ("attributes", [PAIR]),
    13: ("links", [LINK]),
    15: ("status", STATUS),
    16: ("flags", "fixed32"),
}
NUMBER = {
    2: ("startTimeUnixNano", "fixed64"),
    3: ("timeUnixNano", "fixed64"),
    4: ("asDouble", "real"),
    6: ("asInt", "fixed64"),
    7: ("attributes", [PAIR]),
}
EXEMPLAR = {
    2: ("timeUnixNano", "fixed64"),
    3: ("asDouble", "real"),
    4: ("spanId", "id"),
    5: ("traceId", "id"),
}
BUCKETS = {
    2: ("startTimeUnixNano", "fixed64"),
    3: ("timeUnixNano", "fixed64"),
    4: ("count", "fixed64"),
    5: ("sum", "real"),
    6: ("bucketCounts", "fixed64s"),
    7: ("explicitBounds", "reals"),
    8: ("exemplars", [EXEMPLAR]),
    9: ("attributes", [PAIR]),
}
POINTS = {1: ("dataPoints", [NUMBER]), 2: ("aggregationTemporality", "varint")}
METRIC = {
    1: ("name", "text"),
    2: ("description", "text"),
    3: ("unit", "text"),
    5: ("gauge", POINTS),
    7: ("sum", {**POINTS, 3: ("isMonotonic", "varint")}),
    9: ("histogram", {**POINTS, 1: ("dataPoints", [BUCKETS])}),
}
RECORD = {
    1: ("timeUnixNano", "fixed64"),
    2: ("severityNumber", "varint"),
    3: ("severityText", "text"),
    5: ("body", VALUE),
    6: ("attributes", [PAIR]),
    9: ("traceId", "id"),
    10: ("spanId", "id"),
    11: ("observedTimeUnixNano", "fixed64"),
}


def request_of(resources, scopes, items, item):
    of_scope = {1: ("scope", SCOPE), 2: (items, [item])}
    return {1: (resources, [{1: ("resource", RESOURCE), 2: (scopes, [of_scope])}])}


REQUESTS = {
    "traces": request_of("resourceSpans", "scopeSpans", "spans", SPAN),
    "metrics": request_of("resourceMetrics", "scopeMetrics", "metrics", METRIC),
    "logs": request_of("resourceLogs", "scopeLogs", "logRecords", RECORD),
}


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def read_value(kind, wire_type, data, at):
    if wire_type == 0:
        value, at = read_varint(data, at)
        return (value - (1 << 64) if value >> 63 else value), at
    size = {1: 8, 5: 4}.get(wire_type)
    if size is None:
        assert wire_type == 2, f"wire type {wire_type}"
        size, at = read_varint(data, at)
    raw, at = data[at : at + size], at + size
    assert len(raw) == size, "a field ends beyond its message"
    if isinstance(kind, dict):
        return read_message(kind, raw), at
    if kind == "text":
        return raw.decode("utf-8"), at
    if kind == "id":
        return raw.hex(), at
    if kind == "fixed64s":
        return [str(value) for (value,) in struct.iter_unpack("<Q", raw)], at
    if kind == "reals":
        return [value for (value,) in struct.iter_unpack("<d", raw)], at
    return struct.unpack({"real": "<d", "fixed64": "<q", "fixed32": "<I"}[kind], raw)[0], at


def read_message(fields, data):
    """A message as OTLP/JSON would have it. A field that is not known fails the test."""
    message, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        name, kind = fields[tag >> 3]
        repeated = isinstance(kind, list)
        value, at = read_value(kind[0] if repeated else kind, tag & 7, data, at)
        if kind == "fixed64" or (kind == "varint" and name == "intValue"):
            value = str(value)
        if repeated:
            message.setdefault(name, []).append(value)
        else:
            message[name] = value
    return message


def plain(value):
    """An AnyValue as what it holds."""
    ((kind, inner),) = value.items()
    return int(inner) if kind == "intValue" else inner


def attributes(message):
    return {pair["key"]: plain(pair["value"]) for pair in message.get("attributes", [])}


class Request(typing.NamedTuple):
    """A request that has arrived."""

    signal: str
    headers: dict
    data: dict


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError):
            pass

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass  # The test has closed it.

    def setup(self):
        super().setup()
        with self.server.collector.lock:
            self.server.collector.connections.append(self.connection)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.signal = SIGNALS[self.path]
        if self.headers["Content-Type"] == "application/json":
            data = json.loads(body)
        else:
            assert self.headers["Content-Type"] == "application/x-protobuf"
            data = read_message(REQUESTS[self.signal], body)
        self.request_seen = Request(self.signal, dict(self.headers), data)
        self.server.collector.take(self)

    def accept(self):
        with self.server.collector.lock:
            self.server.collector.accepted.append(self.request_seen)
        self.answer(200)

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def garbage(self):
        self.wfile.write(b"\x00\x01 this is not HTTP\r\n\r\n")
        self.close_connection = True

    def hang(self):
        """Answers nothing, and keeps the connection open until the collector is closed."""
        self.server.collector.closed.wait()
        self.close_connection = True


class OtlpCollector:
    def __init__(self, port=0):
        self.lock, self.closed = threading.Lock(), threading.Event()
        self.accepted, self.seen, self.connections = [], [], []
        self.on = {}  # Signal -> what to do with its requests.
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.collector = self
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.closed.is_set():
            return
        self.closed.set()
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def take(self, request):
        with self.lock:
            self.seen.append(request.request_seen)
        self.on.get(request.signal, Handler.accept)(request)

    def requests(self, signal):
        """How many have arrived, accepted or not."""
        with self.lock:
            return sum(1 for one in self.seen if one.signal == signal)

    def last_headers(self, signal):
        with self.lock:
            return [one.headers for one in self.seen if one.signal == signal][-1]

    def _items(self, signal, resources, scopes, items):
        with self.lock:
            requests = [one.data for one in self.accepted if one.signal == signal]
        for data in requests:
            for of_resource in data[resources]:
                for of_scope in of_resource[scopes]:
                    for item in of_scope.get(items, []):
                        yield attributes(of_resource["resource"]), item

    def spans(self):
        found = []
        for resource, span in self._items("traces", "resourceSpans", "scopeSpans", "spans"):
            found.append({**span, "attributes": attributes(span), "resource": resource})
        return found

    def calls(self):
        """The spans of calls of tools, without those of their stages and of other methods."""
        method = lambda span: span["attributes"].get("mcp.method.name")
        return [one for one in self.spans() if one["kind"] == 2 and method(one) == "tools/call"]

    def lines(self):
        found = []
        for resource, line in self._items("logs", "resourceLogs", "scopeLogs", "logRecords"):
            body = plain(line["body"])
            found.append(
                {**line, "body": body, "attributes": attributes(line), "resource": resource}
            )
        return found

    def points(self, name):
        """The points of the last request with that metric."""
        last = []
        for _, metric in self._items("metrics", "resourceMetrics", "scopeMetrics", "metrics"):
            if metric["name"] != name:
                continue
            data = metric.get("sum") or metric.get("gauge") or metric["histogram"]
            last = [{**one, "attributes": attributes(one)} for one in data["dataPoints"]]
        return last
