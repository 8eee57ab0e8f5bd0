"""The smallest collector: takes OTLP/JSON over HTTP and prints calls, one metric and log lines.

usage: python3 collector.py PORT

It ends once it has seen two calls, their metric, and their log lines.
"""

import http.server
import json
import sys

CALLS = 2
spans, counts, lines = [], {}, []


def items(resources, scopes, name):
    for resource in resources:
        for scope in resource[scopes]:
            yield from scope[name]


def attributes(item):
    return {pair["key"]: next(iter(pair["value"].values())) for pair in item["attributes"]}


def is_call(span):
    return span["kind"] == 2 and attributes(span)["mcp.method.name"] == "tools/call"


def store(path, data):
    if path == "/v1/traces":
        spans.extend(items(data["resourceSpans"], "scopeSpans", "spans"))
    elif path == "/v1/metrics":
        for metric in items(data["resourceMetrics"], "scopeMetrics", "metrics"):
            if metric["name"] == "patchbay_tool_calls_total":
                for point in metric["sum"]["dataPoints"]:
                    labels = attributes(point)
                    counts[json.dumps(labels, sort_keys=True)] = (labels, int(point["asInt"]))
    else:
        lines.extend(items(data["resourceLogs"], "scopeLogs", "logRecords"))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        store(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def calls():
    return [span for span in spans if is_call(span)]


def counted():
    of_tools = [count for labels, count in counts.values() if "calculate" in str(labels)]
    return sum(of_tools)


def call_lines():
    return [line for line in lines if line["body"]["stringValue"] == "call"]


def print_all():
    for call in calls():
        outcome = attributes(call)["patchbay.outcome"]
        print(f"{call['name']}: {outcome}{' (error)' if 'status' in call else ''}")
        for child in spans:
            if child.get("parentSpanId") == call["spanId"] and child["kind"] == 3:
                print(f"  {child['name']} at {attributes(child)['patchbay.upstream.name']}")
    print("patchbay_tool_calls_total:", counted())
    print("severity of the lines:", *sorted({line["severityText"] for line in call_lines()}))


server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
while len(calls()) < CALLS or counted() < CALLS or not call_lines():
    server.handle_request()
print_all()
