"""Traces, metrics and logs are exported over OTLP; a collector that fails costs telemetry only."""

import pathlib
import re
import socket
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    fake,
    main,
    run,
    stateless_call,
    text_of,
    to_yaml,
    wait_until,
)
from otlp_collector import Handler, OtlpCollector

FAST = {
    "initial_retry_interval": "10ms",
    "max_retry_interval": "50ms",
    "timeout": "500ms",
    "retry_timeout": "60s",
}


def telemetry(collector, otlp=None, **sections):
    endpoint = collector if isinstance(collector, str) else collector.endpoint
    section = {"otlp": {"endpoint": endpoint, **FAST, **(otlp or {})}}
    for signal in ("traces", "metrics", "logs"):
        section[signal] = {"interval": "20ms", **sections.pop(signal, {})}
    return {**section, **sections}


def config(section, **settings):
    return {"upstreams": {"fake": fake()}, "telemetry": section, **settings}


def counter(gateway, name, **labels):
    """The value of a metric at /metrics; 0 if there is no such series."""
    for line in gateway.get("/metrics").body.decode().splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if not match or match[1] != name:
            continue
        found = dict(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))
        if all(found.get(key) == value for key, value in labels.items()):
            return float(match[3])
    return 0


def dropped(gateway, signal, reason):
    return counter(gateway, "patchbay_telemetry_dropped_total", signal=signal, reason=reason)


def exported(gateway, signal):
    return counter(gateway, "patchbay_telemetry_exported_total", signal=signal)


class ExportCase(TestCase):
    def start(self, section, **settings):
        gateway = self.enterContext(Gateway(config(section, **settings)))
        gateway.wait_ready()
        return gateway

    def collector(self):
        return self.enterContext(OtlpCollector())

    def call(self, gateway, name="fake__echo", **arguments):
        """One request without a session, so that it is one call at the collector."""
        return stateless_call(gateway, name, **(arguments or {"text": "hello"}))


class Traces(ExportCase):
    def check_call(self, encoding):
        collector = self.collector()
        gateway = self.start(
            telemetry(
                collector,
                {"encoding": encoding},
                service_name="gate",
                resource={"deployment.environment.name": "test"},
            )
        )
        self.call(gateway)
        (server,) = wait_until(collector.calls, "a call at the collector")
        self.assertEqual(server["name"], "tools/call fake__echo")
        self.assertEqual(server["resource"]["service.name"], "gate")
        self.assertEqual(server["resource"]["deployment.environment.name"], "test")
        attributes = server["attributes"]
        self.assertEqual(attributes["mcp.method.name"], "tools/call")
        self.assertEqual(attributes["gen_ai.tool.name"], "fake__echo")
        self.assertEqual(attributes["patchbay.outcome"], "ok")
        self.assertNotIn("gen_ai.tool.call.arguments", attributes)
        children = [span for span in collector.spans() if span["kind"] != 2]
        self.assertTrue(children)
        for child in children:
            self.assertEqual(child["traceId"], server["traceId"])
            self.assertEqual(child["parentSpanId"], server["spanId"])
            self.assertGreaterEqual(
                int(child["startTimeUnixNano"]), int(server["startTimeUnixNano"])
            )
        self.assertTrue([one for one in children if one["kind"] == 3])
        wait_until(lambda: exported(gateway, "traces") == 1, "the call to be counted")

    def test_protobuf(self):
        self.check_call("protobuf")

    def test_json(self):
        self.check_call("json")

    def test_headers_of_the_settings_are_sent(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector, {"headers": {"X-Api-Key": "s3cret"}}))
        self.call(gateway)
        wait_until(collector.calls, "a call at the collector")
        self.assertEqual(collector.last_headers("traces")["X-Api-Key"], "s3cret")
        self.assertNotIn("s3cret", gateway.stderr.text())

    def test_a_failed_call_has_an_error_status(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector, traces={"sample_ratio": 0.0}))
        self.call(gateway)  # Neither sampled nor failed.
        self.call(gateway, "fake__no_such_tool")
        (server,) = wait_until(collector.calls, "the failed call at the collector")
        self.assertEqual(server["status"]["code"], 2)
        self.assertEqual(server["attributes"]["error.type"], server["attributes"]["patchbay.outcome"])
        self.assertEqual(server["name"], "tools/call")


class Metrics(ExportCase):
    def test_they_are_those_of_the_metrics_page(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector))
        for _ in range(3):
            self.call(gateway)
        calls = lambda: sum(int(one["asInt"]) for one in collector.points("patchbay_calls_total"))
        wait_until(lambda: calls() == 3, "three calls in a metric")
        point = collector.points("patchbay_calls_total")[0]
        self.assertLess(int(point["startTimeUnixNano"]), int(point["timeUnixNano"]))
        self.assertTrue(point["attributes"])
        self.assertTrue(collector.points("patchbay_resident_memory_bytes"))
        wait_until(lambda: exported(gateway, "metrics") > 0, "the points to be counted")

    def test_histograms_have_their_buckets(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector))
        self.call(gateway)
        points = lambda: [
            one for one in collector.points("patchbay_call_seconds") if int(one["count"])
        ]
        point = wait_until(points, "a call in a histogram")[0]
        counts = [int(one) for one in point["bucketCounts"]]
        self.assertEqual(len(counts), len(point["explicitBounds"]) + 1)
        self.assertEqual(sum(counts), int(point["count"]))
        self.assertGreater(point["sum"], 0)
        (exemplar,) = wait_until(lambda: points()[0].get("exemplars"), "an exemplar")
        (call,) = wait_until(collector.calls, "the call at the collector")
        self.assertEqual(exemplar["traceId"], call["traceId"])


class Logs(ExportCase):
    def test_lines_have_their_keys(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector))
        self.call(gateway)
        of_call = lambda: [line for line in collector.lines() if line["body"] == "call"]
        line = wait_until(of_call, "the line of the call")[0]
        self.assertEqual(line["severityText"], "INFO")
        self.assertEqual(line["attributes"]["upstream"], "fake")

    def test_the_exporter_does_not_export_its_own_lines(self):
        collector = self.collector()
        collector.on["traces"] = lambda request: request.answer(503)
        gateway = self.start(telemetry(collector))
        self.call(gateway)
        gateway.stderr.wait_for("telemetry not sent")
        count = len(collector.lines())
        wait_until(lambda: collector.requests("traces") > 3, "further attempts")
        self.call(gateway)
        wait_until(lambda: len(collector.lines()) > count, "the line of the second call")
        self.assertFalse([one for one in collector.lines() if "telemetry not" in one["body"]])
        # One line in a minute, however often it fails.
        self.assertEqual(gateway.stderr.text().count("telemetry not sent"), 1)


class Failures(ExportCase):
    """Whatever the collector does, calls are answered, and lost items are counted."""

    def check_retried(self, fault):
        collector = self.collector()
        collector.on["traces"] = fault
        gateway = self.start(telemetry(collector))
        self.call(gateway)
        wait_until(lambda: collector.requests("traces") >= 2, "a second attempt")
        del collector.on["traces"]
        wait_until(collector.calls, "the call at the collector")
        self.assertEqual(len(collector.calls()), 1)
        self.assertGreater(
            counter(gateway, "patchbay_telemetry_requests_total", signal="traces", outcome="failed"),
            0,
        )
        wait_until(lambda: exported(gateway, "traces") == 1, "the call to be counted")
        self.assertEqual(dropped(gateway, "traces", "refused"), 0)
        gateway.stderr.wait_for("telemetry sent again")

    def test_unavailable(self):
        self.check_retried(lambda request: request.answer(503))

    def test_too_many_requests(self):
        self.check_retried(lambda request: request.answer(429, Retry_After="0"))

    def test_garbage(self):
        self.check_retried(Handler.garbage)

    def test_no_answer(self):
        self.check_retried(Handler.hang)

    def test_retry_after_is_bounded(self):
        self.check_retried(lambda request: request.answer(429, Retry_After="86400"))

    def test_what_the_collector_refuses_is_not_sent_again(self):
        collector = self.collector()
        collector.on["traces"] = lambda request: request.answer(400, b"no" * 100_000)
        gateway = self.start(telemetry(collector))
        self.call(gateway)
        wait_until(lambda: dropped(gateway, "traces", "refused") == 1, "the call to be dropped")
        self.assertEqual(collector.requests("traces"), 1)
        del collector.on["traces"]
        self.call(gateway)
        wait_until(collector.calls, "the next call at the collector")

    def test_what_the_collector_rejects_of_a_request_is_counted(self):
        collector = self.collector()
        answer = b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}'
        collector.on["traces"] = lambda request: request.answer(200, answer)
        gateway = self.start(telemetry(collector, {"encoding": "json"}))
        self.call(gateway)
        wait_until(lambda: dropped(gateway, "traces", "rejected") == 1, "the rejected call")
        gateway.stderr.wait_for("too old")

    def test_what_is_too_old_is_dropped(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        gateway = self.start(telemetry(endpoint, {"retry_timeout": "100ms"}))
        self.call(gateway)
        wait_until(lambda: dropped(gateway, "traces", "too_old") == 1, "the call to be dropped")

    def test_a_full_queue_drops_calls_and_counts_them(self):
        collector = self.collector()
        collector.on["traces"] = Handler.hang
        section = telemetry(collector, {"timeout": "60s"}, traces={"max_queued_calls": 16})
        gateway = self.start(section)
        session = self.enterContext(McpSession(gateway))
        session.call("fake__echo", text="first")
        wait_until(lambda: collector.requests("traces") == 1, "the first request")
        # One request is under way; 16 calls wait; the others are dropped, and all are answered.
        for number in range(30):
            self.assertEqual(text_of(session.call("fake__echo", text=str(number))), str(number))
        wait_until(lambda: dropped(gateway, "traces", "queue_full") > 0, "dropped calls")
        collector.close()

    def test_memory_is_bounded(self):
        """Without a bound, these calls would take 80 MB."""
        collector = self.collector()
        collector.on["traces"] = Handler.hang
        traces = {"max_queued_calls": 16, "content": "full", "max_content_size": "64KiB"}
        gateway = self.start(telemetry(collector, {"timeout": "60s"}, traces=traces))
        session = self.enterContext(McpSession(gateway))
        text = "x" * 60_000
        for _ in range(32):
            session.call("fake__echo", text=text)
        before = gateway.rss()
        for _ in range(600):
            session.call("fake__echo", text=text)
        self.assertLess(gateway.rss() - before, 30 << 20)
        wait_until(lambda: dropped(gateway, "traces", "queue_full") > 500, "dropped calls")
        collector.close()

    def test_stopping_does_not_wait_for_a_collector_that_hangs(self):
        collector = self.collector()
        for signal in ("traces", "metrics", "logs"):
            collector.on[signal] = Handler.hang
        section = telemetry(collector, {"timeout": "60s"})
        gateway = self.start(section, stop={"drain_timeout": "200ms"})
        self.call(gateway)
        wait_until(lambda: collector.requests("traces") == 1, "the request")
        self.assertEqual(gateway.stop(), 0)

    def test_stopping_sends_what_waits(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector, traces={"interval": "10m"}))
        self.call(gateway)
        self.assertEqual(gateway.stop(), 0)
        self.assertEqual(len(collector.calls()), 1)
        self.assertTrue([line for line in collector.lines() if line["body"] == "stopped"])


class Reload(ExportCase):
    def test_another_collector(self):
        first, second = self.collector(), self.collector()
        gateway = self.start(telemetry(first))
        self.call(gateway)
        wait_until(first.calls, "a call at the first collector")
        gateway.write_config(config(telemetry(second, {"encoding": "json"}, service_name="renamed")))
        gateway.stderr.wait_for("reloaded")
        self.call(gateway)
        (span,) = wait_until(second.calls, "a call at the second collector")
        self.assertEqual(span["resource"]["service.name"], "renamed")
        self.assertEqual(len(first.calls()), 1)

    def test_off_and_on_again(self):
        collector = self.collector()
        gateway = self.start(telemetry(collector))
        threads = lambda: len(list(pathlib.Path(f"/proc/{gateway.pid}/task").iterdir()))
        running = threads()
        gateway.write_config(config({}))
        wait_until(lambda: threads() < running, "the exporter's thread to end")
        seen = len(collector.seen)
        self.call(gateway)
        gateway.write_config(config(telemetry(collector)))
        wait_until(lambda: len(collector.seen) > seen, "the export to begin again")
        self.call(gateway)
        wait_until(collector.calls, "a call at the collector")
        self.assertEqual(len(collector.calls()), 1)


class Check(TestCase):
    def check(self, otlp):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        path = folder / "gateway.yaml"
        path.write_text(to_yaml(config({"otlp": otlp})), encoding="utf-8")
        return run("check", str(path), cwd=str(folder))

    def test_a_collector_needs_a_url(self):
        done = self.check({"endpoint": "collector:4318"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("telemetry.otlp", done.stderr)

    def test_headers_in_clear_are_a_warning(self):
        headers = {"Authorization": "Bearer s3cret"}
        done = self.check({"endpoint": "http://collector.example:4318", "headers": headers})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("clear text", done.stderr)
        self.assertNotIn("s3cret", done.stdout + done.stderr)
        done = self.check({"endpoint": "http://127.0.0.1:4318", "headers": headers})
        self.assertNotIn("clear text", done.stderr)


if __name__ == "__main__":
    main()
