"""How long calls may take: by default, by upstream and by tool, with progress, and in all."""

import json
import pathlib
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, main, run, stateless_call, text_of, to_yaml
from sandbox_case import why_not
from stub_server import StubServer

LONG = "60s"  # More than any of these calls takes.
SHORT = "300ms"
PATIENT_S = 1.0  # Longer than SHORT.


def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}}


class Timeouts(TestCase):
    def start(self, limits=None, **settings):
        self.ended = threading.Event()
        self.addCleanup(self.ended.set)
        stub = self.enterContext(StubServer())
        tools = {"tools": [tool("slow"), tool("hang"), tool("report"), tool("report_on")]}
        stub.on["tools/list"] = lambda exchange: exchange.result(tools)
        stub.on["tools/call"] = self.serve
        config = {"upstreams": {"far": stub.upstream(**settings)}, "limits": limits or {}}
        return self.enterContext(Gateway(config))

    def serve(self, exchange):
        name = exchange.message["params"]["name"]
        if name == "hang":
            return self.ended.wait()
        if name == "slow":
            self.ended.wait(PATIENT_S)
            return exchange.text("done")
        exchange.begin_events()
        self.token = token = exchange.message["params"].get("_meta", {}).get("progressToken")
        # One second longer than the call may take without progress, or until the test ends.
        for step in range(8 if name == "report" else 10_000):
            params = {"progressToken": token, "progress": step + 1}
            exchange.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            if self.ended.wait(0.5):
                break
        result = {"content": [{"type": "text", "text": "done"}]}
        return exchange.event({"jsonrpc": "2.0", "id": exchange.message["id"], "result": result})

    def message(self, answer):
        self.assert_error(answer, -32001, "timeout")
        return answer["error"]["message"]

    def test_an_upstream_may_have_longer_than_all(self):
        gateway = self.start({"call_timeout": SHORT}, timeout=LONG)
        self.assertEqual(text_of(stateless_call(gateway, "far__slow")), "done")

    def test_a_tool_may_have_longer_than_its_upstream(self):
        gateway = self.start(timeout=SHORT, tools={"timeout": {"slow": LONG}})
        self.assertEqual(text_of(stateless_call(gateway, "far__slow")), "done")
        answer = stateless_call(gateway, "far__hang")
        self.assertIn("(timeout of the upstream far: 300ms)", self.message(answer))

    def test_a_renamed_tool_too(self):
        tools = {"timeout": {"hang": SHORT}, "rename": {"hang": "wait"}}
        gateway = self.start(tools=tools)
        answer = stateless_call(gateway, "far__wait")
        self.assertIn("(tools.timeout of the upstream far: 300ms)", self.message(answer))

    def test_the_default_is_named(self):
        gateway = self.start({"call_timeout": SHORT})
        answer = stateless_call(gateway, "far__hang")
        self.assertIn("(limits.call_timeout: 300ms)", self.message(answer))

    def test_progress_begins_the_time_anew(self):
        gateway = self.start({"call_timeout": "3s"})
        with McpSession(gateway) as session:
            answer = session.call("far__report", _meta={"progressToken": "p"})
            self.assertEqual(text_of(answer), "done")
            self.assertTrue(session.others)

    def test_progress_that_the_client_did_not_request_too(self):
        gateway = self.start({"call_timeout": "3s"})
        with McpSession(gateway) as session:
            self.assertEqual(text_of(session.call("far__report")), "done")
            self.assertEqual(session.others, [])

    def test_nothing_is_requested_where_progress_gives_no_more_time(self):
        limits = {"call_timeout": "30s", "max_call_timeout": "30s"}
        gateway = self.start(limits)
        self.assertEqual(text_of(stateless_call(gateway, "far__report")), "done")
        self.assertIsNone(self.token)

    def test_a_server_may_be_spared_that_request(self):
        gateway = self.start({"call_timeout": "3s"}, request_progress=False)
        with McpSession(gateway) as session:
            self.assertIn("(limits.call_timeout: 3s)", self.message(session.call("far__report")))
            self.assertIsNone(self.token)
            answer = session.call("far__report", _meta={"progressToken": "p"})
            self.assertEqual(text_of(answer), "done")

    def test_progress_does_not_help_for_ever(self):
        gateway = self.start({"call_timeout": "3s", "max_call_timeout": "4s"})
        with McpSession(gateway) as session:
            answer = session.call("far__report_on", _meta={"progressToken": "p"})
            self.assertIn("(limits.max_call_timeout: 4s)", self.message(answer))

    def test_the_total_bounds_a_longer_timeout(self):
        gateway = self.start({"call_timeout": SHORT, "max_call_timeout": "500ms"}, timeout=LONG)
        answer = stateless_call(gateway, "far__hang")
        self.assertIn("(limits.max_call_timeout: 500ms)", self.message(answer))
        line = gateway.stderr.wait_for("setting without effect")
        self.assertIn("upstreams.far.timeout", line)

    def test_a_reload_applies(self):
        gateway = self.start({"call_timeout": SHORT})
        self.message(stateless_call(gateway, "far__hang"))
        text = gateway.config_path.read_text(encoding="utf-8").replace(SHORT, LONG)
        gateway.write_config(text)
        gateway.stderr.wait_for("reloaded")
        self.assertEqual(text_of(stateless_call(gateway, "far__slow")), "done")


class Check(TestCase):
    def check(self, config):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "patchbay.yaml"
            path.write_text(to_yaml(config), encoding="utf-8")
            outcome = run("check", str(path))
        self.assertEqual((outcome.returncode, outcome.stdout), (0, "ok\n"), outcome.stderr)
        return outcome.stderr

    def far(self, **settings):
        return {"upstreams": {"far": {"kind": "http", "url": "http://127.0.0.1:1/", **settings}}}

    def test_what_cannot_take_effect_is_pointed_out(self):
        told = self.check(self.far(timeout="20m", tools={"timeout": {"slow": "15m", "fast": "1s"}}))
        self.assertIn("upstreams.far.timeout: calls end after limits.max_call_timeout", told)
        self.assertIn("upstreams.far.tools.timeout.slow: calls end", told)
        self.assertNotIn("fast", told)
        kafka = {"kind": "kafka", "response_timeout_ms": 900_000}
        self.assertIn("response_timeout_ms", self.check({"upstreams": {"bus": kafka}}))
        sandbox = {"kind": "sandbox", "limits": {"max_timeout": "1h"}}
        self.assertIn("box.limits.max_timeout", self.check({"upstreams": {"box": sandbox}}))
        told = self.check({"limits": {"call_timeout": "1m", "max_call_timeout": "10s"}})
        self.assertIn("limits.max_call_timeout: is shorter than limits.call_timeout", told)

    def test_what_takes_effect_is_not(self):
        self.assertEqual(self.check(self.far(timeout="5m")), "")
        config = self.far(timeout="20m")
        self.assertEqual(self.check({**config, "limits": {"max_call_timeout": "1h"}}), "")


class Sandboxes(TestCase):
    def test_a_run_has_the_time_that_its_caller_requests(self):
        if why_not():
            self.skipTest(why_not())
        config = {
            "upstreams": {"box": {"kind": "sandbox"}},
            "limits": {"call_timeout": SHORT},
        }
        with Gateway(config) as gateway:
            answer = stateless_call(
                gateway, "box__run_command", command="sleep 1; echo done", timeout_s=30
            )
            self.assertIn("done", json.dumps(answer))


main()
