"""docs/metrics.md against /metrics of a gateway with almost everything in it, the two formats, the conventions of
Prometheus, and the bound on series."""

import re
import shutil
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import ROOT, Gateway, TestCase, fake_config, main, stateless_headers, stateless_message
from metrics_case import EverythingGateway, parse, trace_headers

OPENMETRICS = "application/openmetrics-text"
# What Prometheus 2.42 asks for.
OF_PROMETHEUS = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)
ROW = re.compile(r"^\| `(\w+)` \| (counter|gauge|histogram) \|((?: `\w+`,?)*) \| (.+) \|$", re.M)
# Families of parts that this machine may not be able to run, or that need more than one gateway's traffic.
MAY_BE_ABSENT = re.compile(r"patchbay_(sandbox|telemetry)_.*|patchbay_bus_replies_dropped_total")

# A server with many tools.
MANY_TOOLS = """
import json, sys
tools = [{"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(5000)]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "many", "version": "1"}},
        "tools/list": {"tools": tools},
        "tools/call": {"content": []},
        "ping": {},
    }.get(message["method"])
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    answer |= {"result": result} if result is not None else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps(answer), flush=True)
"""


def documented():
    """{name: (type, labels)} of the page."""
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels, _ in ROW.findall(text)}


class Everything(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.everything = cls.enterClassContext(EverythingGateway())
        cls.text = cls.everything.text()
        cls.families = parse(cls.text)

    def test_the_page_names_every_family_with_its_type_and_labels(self):
        page = documented()
        self.assertGreater(len(page), 60)
        for name, family in self.families.items():
            with self.subTest(name):
                self.assertIn(name, page)
                self.assertEqual(family.kind, page[name][0])
                self.assertEqual(family.labels(), page[name][1])

    def test_every_family_of_the_page_is_there(self):
        for name in documented():
            if not MAY_BE_ABSENT.fullmatch(name):
                with self.subTest(name):
                    self.assertIn(name, self.families)

    def test_names_follow_the_conventions(self):
        for name, family in self.families.items():
            with self.subTest(name):
                self.assertRegex(name, r"^(patchbay|process)_[a-z0-9_]+$")
                self.assertEqual(name.endswith("_total"), family.kind == "counter")
                self.assertNotRegex(name, r"_(ms|millis|milliseconds|kb|mb|minutes|percent)(_|$)")
                self.assertTrue(family.help)
                if family.kind == "histogram":
                    self.assertRegex(name, r"_(seconds|bytes)$")

    def test_promtool_has_no_complaint(self):
        if not shutil.which("promtool"):
            print("left out: no promtool", flush=True)
            self.skipTest("no promtool")
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=self.text, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_a_series_appears_once(self):
        samples = [line.rpartition(" ")[0] for line in self.text.splitlines() if not line.startswith("#")]
        self.assertEqual(len(samples), len(set(samples)))

    def test_values_that_the_traffic_has_left(self):
        value = self.everything.gateway.metric
        self.assertEqual(value("patchbay_approvals_total", outcome="approved"), 1)
        self.assertEqual(value("patchbay_approval_wait_seconds_count"), 1)
        self.assertEqual(value("patchbay_rate_refused_total", row="0", per="principal", reason="rate"), 1)
        self.assertEqual(value("patchbay_schema_violations_total", upstream="skills", direction="arguments"), 1)
        self.assertEqual(value("patchbay_reloads_total", outcome="applied"), 1)
        self.assertEqual(value("patchbay_sessions", transport="http"), 1)
        self.assertEqual(value("patchbay_upstream_instances", upstream="fake", state="up"), 1)
        self.assertEqual(value("patchbay_upstream_instances", upstream="fake", state="down"), 0)
        self.assertEqual(value("patchbay_upstream_token_seconds_count", upstream="far"), 1)
        self.assertGreater(value("patchbay_upstream_http_connections", upstream="far"), 0)
        self.assertGreater(value("patchbay_upstream_queue_seconds_count", upstream="fake"), 3)
        self.assertGreater(value("patchbay_audit_written_records_total"), 5)
        self.assertGreater(value("patchbay_event_loop_lag_seconds_count", worker="1"), 0)
        self.assertEqual(
            value("patchbay_call_seconds_count", upstream="fake", frontend="mcp-http", outcome="tool_error"), 1
        )
        self.assertEqual(value("patchbay_call_seconds_count", upstream="fake", outcome="refused"), 2)
        self.assertEqual(value("patchbay_tool_call_seconds_count", tool="fake.fail"), 1)
        self.assertGreater(value("process_open_fds"), 10)
        self.assertGreater(value("process_cpu_seconds_total"), 0)
        if self.everything.sandboxed:
            self.assertEqual(value("patchbay_sandbox_used", upstream="box"), 1)

    def test_openmetrics(self):
        self.assertNotIn("# UNIT", self.text)
        self.assertNotIn(" # {", self.text)
        text = self.everything.text(OPENMETRICS)
        self.assertTrue(text.endswith("\n# EOF\n"))
        families = parse(text)
        names = {name + "_total" if family.kind == "counter" else name for name, family in families.items()}
        self.assertEqual(names, set(self.families))
        for name, family in families.items():
            self.assertFalse(name.endswith("_total"), name)
            unit = next((unit for unit in ("seconds", "bytes") if name.endswith("_" + unit)), "")
            self.assertEqual(family.unit, unit, name)
            if family.kind == "counter":
                self.assertTrue(all(sample[0] == name + "_total" for sample in family.samples))

    def test_exemplars_name_sampled_calls_only(self):
        families = parse(self.everything.text(OPENMETRICS))
        wanted = 'trace_id="' + trace_headers(7)["traceparent"].split("-")[1] + '"'
        for name in ("patchbay_call_seconds", "patchbay_tool_call_seconds"):
            found = [(labels, example) for _, labels, _, example in families[name].samples if example]
            self.assertEqual([example for _, example in found], [wanted], name)
        others = [name for name, family in families.items() if any(sample[3] for sample in family.samples)]
        self.assertEqual(sorted(others), ["patchbay_call_seconds", "patchbay_tool_call_seconds"])

    def test_the_format_is_the_one_that_is_asked_for(self):
        plain, open_text = "text/plain; version=0.0.4; charset=utf-8", OPENMETRICS + "; version=1.0.0; charset=utf-8"
        for accept, wanted in (
            (None, plain),
            ("*/*", plain),
            ("text/plain", plain),
            (OPENMETRICS, open_text),
            (OF_PROMETHEUS, open_text),
            (OPENMETRICS + ";q=0.1, text/plain", plain),
            (OPENMETRICS + ";q=0", plain),
            ("application/json", plain),
        ):
            with self.subTest(accept):
                answer = self.everything.gateway.get("/metrics", {"Accept": accept} if accept else None)
                self.assertEqual(answer.header("content-type"), wanted)
                self.assertEqual(answer.header("vary"), "Accept")


class HostileNames(TestCase):
    def test_names_of_tools_and_clients_make_a_bounded_number_of_series(self):
        many = {"kind": "stdio", "command": sys.executable, "args": ["-S", "-c", MANY_TOOLS]}
        most = 20
        config = fake_config({"many": many}, limits={"max_metric_names": most}, log={"calls": False})
        gateway = self.enterContext(Gateway(config))
        gateway.wait_ready()
        message = stateless_message("tools/call", {"name": "", "arguments": {}})
        client = message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]
        with gateway.connect() as connection:
            for number in range(10_000):
                # The first 5000 are tools; the rest is offered by nobody.
                message["params"]["name"] = f"many__t{number}"
                client["name"] = f'c{number}"\\\n\u202e\x7f'
                answer = connection.request("POST", "/mcp", stateless_headers(message), message)
                self.assertIn(answer.status, (200, 404), answer.body)
        families = parse(gateway.get("/metrics").body.decode())
        series = sum(len(family.samples) for family in families.values())
        # Two outcomes of each client; one outcome and nine buckets, sum and count of each tool.
        self.assertLess(series, 2 * (most + 1) + 12 * (most + 1) + 500)
        tools = {labels["tool"] for _, labels, _, _ in families["patchbay_tool_calls_total"].samples}
        self.assertEqual(len(tools), most + 1)
        self.assertIn("other", tools)
        self.assertEqual(gateway.metric("patchbay_tool_calls_total"), 5000)
        self.assertEqual(gateway.metric("patchbay_client_calls_total"), 10_000)
        self.assertEqual(gateway.metric("patchbay_client_calls_total", client="other"), 10_000 - most)


if __name__ == "__main__":
    main()
