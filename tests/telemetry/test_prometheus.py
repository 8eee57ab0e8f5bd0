"""A real Prometheus scrapes real gateways: what it stores, and whether the dashboard and the alert rules work there."""

import functools
import json
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKEN, TOKENS, bearer
from harness import (
    ROOT,
    Gateway,
    TestCase,
    fake_config,
    main,
    stateless_call,
    stateless_message,
    stateless_post,
    wait_until,
)
from metrics_case import EverythingGateway, trace_headers
from prometheus import RULES, Prometheus

DEPLOY = ROOT / "deploy"
# What this machine may not be able to run, or the gateway of the test does not do.
MAY_BE_ABSENT = re.compile(r"patchbay_(sandbox|telemetry)_")


@functools.cache
def dashboard():
    return json.loads((DEPLOY / "grafana" / "patchbay.json").read_text(encoding="utf-8"))


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def concrete(expression):
    """The expression as Grafana sends it."""
    for variable, value in (("$__rate_interval", "1m"), ("$instance", ".*"), ("$upstream", ".*"), ("$job", "patchbay")):
        expression = expression.replace(variable, value)
    return expression


def promtool(*args):
    return subprocess.run(["promtool", *map(str, args)], capture_output=True, text=True, check=False)


class RealPrometheus(TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("prometheus") or not shutil.which("promtool"):
            print(f"left out: {cls.__name__}: no prometheus", flush=True)
            raise unittest.SkipTest("no prometheus")


class Stored(RealPrometheus):
    def target(self, gateway, **settings):
        return {"static_configs": [{"targets": [f"127.0.0.1:{gateway.port}"]}], **settings}

    def start(self, **jobs):
        prometheus = self.enterContext(Prometheus(jobs))
        prometheus.wait_scraped()
        return prometheus

    def test_counts_and_durations(self):
        gateway = self.enterContext(Gateway(fake_config()))
        for _ in range(7):
            stateless_call(gateway, "fake__echo", text="x")
        stateless_call(gateway, "fake__fail")
        prometheus = self.start(patchbay=self.target(gateway))
        prometheus.wait_value('patchbay_calls_total{upstream="fake",outcome="ok"}', 7)
        self.assertEqual(prometheus.value('patchbay_tool_calls_total{tool="fake.fail",outcome="tool_error"}'), 1)
        self.assertEqual(prometheus.value('sum(patchbay_call_seconds_count{frontend="mcp-http"})'), 8)
        self.assertEqual(prometheus.value('patchbay_call_seconds_bucket{outcome="ok",upstream="fake",le="+Inf"}'), 7)
        quantile = 'histogram_quantile(0.5, sum by (le) (patchbay_call_seconds_bucket{upstream="fake"}))'
        self.assertGreater(prometheus.value(quantile), 0)
        stateless_call(gateway, "fake__echo", text="x")
        prometheus.wait_value('patchbay_calls_total{upstream="fake",outcome="ok"}', 8)
        metadata = prometheus.ask("metadata", metric="patchbay_call_seconds")["patchbay_call_seconds"][0]
        self.assertEqual((metadata["type"], metadata["unit"]), ("histogram", "seconds"))

    def test_with_a_token(self):
        gateway = self.enterContext(Gateway(fake_config(auth=TOKENS)))
        prometheus = self.enterContext(
            Prometheus(
                {
                    "known": self.target(gateway, authorization={"credentials": TOKEN}),
                    "unknown": self.target(gateway),
                }
            )
        )
        prometheus.wait_value('up{job="known"}', 1)
        prometheus.wait_value('up{job="unknown"}', 0)
        self.assertIn("401", prometheus.targets()["unknown"]["lastError"])
        self.assertEqual(prometheus.value('patchbay_upstream_up{job="known",upstream="fake"}'), 1)
        self.assertIsNone(prometheus.value('patchbay_upstream_up{job="unknown"}'))
        self.assertEqual(gateway.get("/metrics", bearer(TOKEN)).status, 200)

    def test_exemplars(self):
        gateway = self.enterContext(Gateway(fake_config()))
        prometheus = self.start(patchbay=self.target(gateway))
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "y"}})
        stateless_post(gateway, message, headers=trace_headers(0xABC))
        stateless_post(gateway, message, headers=trace_headers(0xDEF, sampled=False))
        prometheus.wait_value('sum(patchbay_tool_call_seconds_count{tool="fake.echo"})', 2)
        found = prometheus.ask(
            "query_exemplars", query="patchbay_call_seconds_bucket", start="0", end="9999999999"
        )
        traces = {one["labels"]["trace_id"] for series in found for one in series["exemplars"]}
        self.assertEqual(traces, {f"{0xABC:032x}"})
        self.assertEqual({series["seriesLabels"]["upstream"] for series in found}, {"fake"})


class Deployed(RealPrometheus):
    """The dashboard and the rules on a gateway with almost everything in it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.everything = cls.enterClassContext(EverythingGateway())
        target = f"127.0.0.1:{cls.everything.gateway.port}"
        job = {"static_configs": [{"targets": [target]}]}
        cls.prometheus = cls.enterClassContext(Prometheus({"patchbay": job}))
        cls.prometheus.wait_scraped()
        # Rates need two values, of which the second one is another.
        stateless_call(cls.everything.gateway, "fake__echo", text="x")
        cls.prometheus.wait_value(
            "min(count_over_time(patchbay_build_info[1m])) >= bool 3", 1
        )

    def test_every_query_of_the_dashboard(self):
        names = set(self.prometheus.ask("label/__name__/values"))
        for panel in panels():
            for target in panel["targets"]:
                expression = concrete(target["expr"])
                with self.subTest(panel["title"], expression=expression):
                    found = self.prometheus.query(expression)
                    used = set(re.findall(r"\b(?:patchbay|process)_\w+", expression))
                    if not MAY_BE_ABSENT.search(expression) or used <= names:
                        self.assertLessEqual(used, names)
                        self.assertTrue(found, "no data")

    def test_every_variable_of_the_dashboard(self):
        for variable in dashboard()["templating"]["list"]:
            if variable["type"] != "query":
                continue
            expression, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["definition"]).groups()
            found = self.prometheus.query(f"group by ({label}) ({concrete(expression)})")
            self.assertTrue(found and all(label in labels for labels, _ in found), variable["name"])

    def rules(self):
        return [rule for group in self.prometheus.ask("rules")["groups"] for rule in group["rules"]]

    def test_every_rule(self):
        wait_until(lambda: all(rule["health"] != "unknown" for rule in self.rules()), "every rule to be evaluated")
        rules = self.rules()
        self.assertGreater(len(rules), 15)
        for rule in rules:
            with self.subTest(rule["name"]):
                self.assertEqual(rule["health"], "ok", rule.get("lastError"))
        # The certificate of the tests is for a day.
        wait_until(lambda: self.firing() == {"PatchbayCertificateExpires"}, "one alert")

    def firing(self):
        return {rule["name"] for rule in self.rules() if rule["state"] == "firing"}

    def test_the_metrics_of_the_rules_exist(self):
        names = set(self.prometheus.ask("label/__name__/values"))
        text = RULES.read_text(encoding="utf-8")
        expressions = re.findall(r"^ +expr: (?:\|\n)?((?:.+\n)+?) +(?:for|labels):", text, re.M)
        used = {name for one in expressions for name in re.findall(r"\b(?:patchbay|process)_\w+", one)}
        self.assertGreater(len(used), 15)
        self.assertLessEqual({name for name in used if not MAY_BE_ABSENT.match(name)}, names)


class Files(RealPrometheus):
    """The files of deploy/ by themselves."""

    def test_rules(self):
        for args in (("check", "rules", RULES), ("test", "rules", RULES.with_name("patchbay.rules.test.yaml"))):
            done = promtool(*args)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_runbooks_name_sections_that_exist(self):
        text = RULES.read_text(encoding="utf-8")
        links = re.findall(r'runbook: "(.+)"', text)
        self.assertEqual(len(links), text.count("- alert:"))
        for link in links:
            path, _, section = link.partition("#")
            heads = re.findall(r"^#+ (.+)$", (ROOT / path).read_text(encoding="utf-8"), re.M)
            slugs = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
            self.assertTrue(not section or section in slugs, link)

    def test_the_dashboard_is_one_that_grafana_takes(self):
        board = dashboard()
        variables = {one["name"]: one["type"] for one in board["templating"]["list"]}
        self.assertEqual(variables["datasource"], "datasource")
        ids = [panel["id"] for panel in board["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        covered = set()
        for panel in board["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24)
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & covered, panel["title"])
            covered |= cells
        for panel in panels():
            self.assertEqual(panel["datasource"]["uid"], "${datasource}")
            references = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(references), len(set(references)))
            for target in panel["targets"]:
                used = set(re.findall(r"\$(\w+)", target["expr"])) - {"__rate_interval"}
                self.assertLessEqual(used, set(variables), panel["title"])
                self.assertEqual(target["datasource"]["uid"], "${datasource}")


if __name__ == "__main__":
    main()
