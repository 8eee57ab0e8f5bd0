"""What the OpenTelemetry Collector has stored of our traces, metrics and logs.

Its receiver is built from its Go modules (tests/peers/collector). Where there is no Go, or the
module proxy cannot be reached, these tests are left out with the reason.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from go_peers import LeftOut, go_program
from harness import Gateway, McpSession, TestCase, fake, main, wait_until
from otlp_collector import attributes, plain
from waiting import Lines


def setUpModule():
    try:
        go_program("collector")
    except LeftOut as why:
        raise unittest.SkipTest(f"the OpenTelemetry Collector is left out: {why}") from None


class Collector:
    """The program as a context manager."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-collector-")
        self.process = subprocess.Popen(
            [go_program("collector"), self.folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.stdout = Lines(self.process.stdout)

    def __enter__(self):
        self.endpoint = "http://" + self.stdout.wait_for("127.0.0.1:").strip()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.folder.cleanup()

    def stored(self, signal, resources, scopes, items):
        text = (pathlib.Path(self.folder.name) / signal).read_text(encoding="utf-8")
        for line in text.splitlines(keepends=True):
            if not line.endswith("\n"):
                continue  # It is being written.
            for of_resource in json.loads(line)[resources]:
                for of_scope in of_resource[scopes]:
                    for item in of_scope[items]:
                        yield attributes(of_resource["resource"]), item

    def spans(self):
        return list(self.stored("traces", "resourceSpans", "scopeSpans", "spans"))

    def calls(self):
        method = lambda span: attributes(span).get("mcp.method.name")
        return [
            (resource, span)
            for resource, span in self.spans()
            if span["kind"] == 2 and method(span) == "tools/call"
        ]

    def metrics(self, name):
        found = self.stored("metrics", "resourceMetrics", "scopeMetrics", "metrics")
        return [metric for _, metric in found if metric["name"] == name]

    def lines(self):
        found = self.stored("logs", "resourceLogs", "scopeLogs", "logRecords")
        return [line for _, line in found]


class Stored(TestCase):
    def start(self, encoding):
        collector = self.enterContext(Collector())
        every = {"interval": "20ms"}
        section = {
            "otlp": {"endpoint": collector.endpoint, "encoding": encoding},
            "service_name": "gate",
            "traces": {**every, "content": "full"},
            "metrics": every,
            "logs": every,
        }
        gateway = self.enterContext(
            Gateway({"upstreams": {"fake": fake()}, "telemetry": section})
        )
        gateway.wait_ready()
        return collector, self.enterContext(McpSession(gateway))

    def check(self, encoding):
        collector, session = self.start(encoding)
        session.call("fake__echo", text="hello")
        session.call("fake__no_such_tool")

        wait_until(lambda: len(collector.calls()) == 2, "two calls at the collector")
        spans = [span for _, span in collector.spans()]
        by_status = lambda code: [
            (resource, span)
            for resource, span in collector.calls()
            if span["status"].get("code", 0) == code
        ]
        ((resource, good),) = by_status(0)
        self.assertEqual(resource["service.name"], "gate")
        self.assertEqual(good["name"], "tools/call fake__echo")
        self.assertEqual(attributes(good)["gen_ai.operation.name"], "execute_tool")
        self.assertIn("hello", attributes(good)["gen_ai.tool.call.arguments"])
        children = [span for span in spans if span.get("parentSpanId") == good["spanId"]]
        self.assertTrue(children)
        self.assertEqual({span["traceId"] for span in children}, {good["traceId"]})
        ((_, failed),) = by_status(2)
        self.assertTrue(attributes(failed)["error.type"])

        sums = lambda: [
            sum(int(point["asInt"]) for point in metric["sum"]["dataPoints"])
            for metric in collector.metrics("patchbay_calls_total")
        ]
        wait_until(lambda: sums() and sums()[-1] >= 2, "the calls in a metric")
        histogram = collector.metrics("patchbay_call_seconds")[-1]["histogram"]
        self.assertEqual(histogram["aggregationTemporality"], 2)
        self.assertEqual(
            collector.metrics("patchbay_calls_total")[-1]["sum"]["isMonotonic"], True
        )

        of_calls = lambda: [line for line in collector.lines() if plain(line["body"]) == "call"]
        line = wait_until(of_calls, "the line of a call")[0]
        self.assertEqual(attributes(line)["upstream"], "fake")

    def test_protobuf(self):
        self.check("protobuf")

    def test_json(self):
        self.check("json")


if __name__ == "__main__":
    main()
