"""What calls come to, and which client made them: in the log, in metrics and in the audit."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    BINARY,
    fake_config,
    main,
    run,
    stateless_call,
    stateless_message,
    stateless_post,
    wait_until,
)

CLIENT = "io.modelcontextprotocol/clientInfo"


def as_client(name, version="1", **params):
    message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}})
    message["params"]["_meta"][CLIENT] = {"name": name, "version": version}
    return message


class ToolErrors(TestCase):
    def setUp(self):
        audit = {"database": "audit.db"}
        self.gateway = self.enterContext(Gateway(fake_config(audit=audit)))

    def audit(self, *options):
        done = run("audit", "--database", "audit.db", "--json", *options, cwd=self.gateway.cwd)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_tool_that_failed_is_not_ok(self):
        with McpSession(self.gateway) as session:
            self.assertTrue(session.call("fake__fail")["result"]["isError"])
            session.call("fake__echo", text="x")
        line = self.gateway.stderr.wait_for("name=fake__fail")
        self.assertIn("outcome=tool_error", line)
        self.assertIn("outcome=ok", self.gateway.stderr.wait_for("name=fake__echo"))
        count = self.gateway.metric
        self.assertEqual(count("patchbay_calls_total", upstream="fake", outcome="tool_error"), 1)
        self.assertEqual(count("patchbay_calls_total", upstream="fake", outcome="ok"), 1)
        wait_until(lambda: len(self.audit()) == 2, "both records")
        (failed,) = self.audit("--outcome", "tool_error")
        self.assertEqual((failed["target"], failed["client"]), ("fake__fail", "tests 1"))
        self.assertEqual([one["target"] for one in self.audit("--outcome", "!ok")], ["fake__fail"])

    def test_a_stateless_client_and_rest_too(self):
        stateless_call(self.gateway, "fake__fail")
        with self.gateway.connect() as connection:
            connection.request("POST", "/api/fake.fail", {"Content-Type": "application/json"}, b"{}")
        self.assertEqual(self.gateway.metric("patchbay_calls_total", outcome="tool_error"), 2)

    def test_a_tool_of_the_gateway_too(self):
        config = {"upstreams": {"skills": {"kind": "builtin"}}}
        gateway = self.enterContext(Gateway(config))
        stateless_call(gateway, "skills__calculate", expression="1 / 0")
        self.assertEqual(gateway.metric("patchbay_calls_total", outcome="ok"), 0)


class ByName(TestCase):
    def test_by_tool_and_by_client(self):
        gateway = self.enterContext(Gateway(fake_config()))
        stateless_post(gateway, as_client("claude-ai"))
        stateless_post(gateway, as_client("claude-ai", "2"))
        stateless_post(gateway, as_client("cursor"))
        stateless_call(gateway, "fake__fail")
        count = gateway.metric
        calls = "patchbay_tool_calls_total"
        self.assertEqual(count(calls, tool="fake.echo", outcome="ok"), 3)
        self.assertEqual(count(calls, tool="fake.fail", outcome="tool_error"), 1)
        clients = "patchbay_client_calls_total"
        self.assertEqual(count(clients, client="claude-ai", outcome="ok"), 2)
        self.assertEqual(count(clients, client="cursor"), 1)
        self.assertEqual(count(clients, client="tests"), 1)

    def test_what_nobody_offers_is_counted_by_no_name(self):
        gateway = self.enterContext(Gateway(fake_config()))
        stateless_call(gateway, "fake__nothing")
        self.assertEqual(gateway.metric("patchbay_tool_calls_total"), 0)

    def test_the_number_of_names_is_bounded(self):
        gateway = self.enterContext(Gateway(fake_config(limits={"max_metric_names": 3})))
        for number in range(20):
            stateless_post(gateway, as_client(f"client-{number}"))
        text = gateway.get("/metrics").body.decode()
        series = [line for line in text.splitlines() if line.startswith("patchbay_client_calls_total{")]
        self.assertEqual(len(series), 4, series)
        self.assertEqual(gateway.metric("patchbay_client_calls_total", client="other"), 17)
        self.assertEqual(gateway.metric("patchbay_client_calls_total"), 20)


    def test_the_busiest_names_are_counted(self):
        gateway = self.enterContext(Gateway(fake_config(limits={"max_metric_names": 1}, workers=2)))
        stateless_post(gateway, as_client("first"))
        total, counts = "patchbay_client_calls_total", gateway.metric

        def busy_is_counted():
            stateless_post(gateway, as_client("busy"))
            return counts(total, client="busy")

        # Each of the two workers reports its counts every ten seconds, and the next ranking uses them.
        wait_until(busy_is_counted, "the busy client to be counted", 60)
        self.assertEqual(counts(total, client="first"), 0)
        self.assertGreater(counts(total, client="other"), 1)
        before = counts(total)
        stateless_post(gateway, as_client("first"))
        self.assertEqual(counts(total), before + 1)


class Clients(TestCase):
    def test_a_name_is_harmless_and_bounded(self):
        gateway = self.enterContext(Gateway(fake_config(audit={"file": "audit.jsonl"})))
        stateless_post(gateway, as_client('a"\n b=c\u202e' + "x" * 5000, "9" * 5000))
        line = gateway.stderr.wait_for("client=")
        told = line.split("client=")[1]
        self.assertTrue(told.startswith('"a___b_c___xxx'), told)
        self.assertLess(len(told), 400)

    def test_a_client_without_a_name(self):
        gateway = self.enterContext(Gateway(fake_config()))
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}})
        message["params"]["_meta"][CLIENT] = {"name": "", "version": ""}
        stateless_post(gateway, message)
        self.assertNotIn("client=", gateway.stderr.wait_for("name=fake__echo"))
        with gateway.connect() as connection:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", "/api/fake.echo", headers, {"text": "x"})
        self.assertGreaterEqual(gateway.metric("patchbay_client_calls_total", client="unknown"), 1)

    def test_over_stdio(self):
        with Gateway(fake_config()) as gateway:
            command = [BINARY, "stdio", "-c", str(gateway.config_path)]
            frontend = self.enterContext(StdioFrontend(command, cwd=gateway.cwd))
            info = {"name": "desk", "version": "7"}
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            frontend.request({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
            call = {"name": "fake__echo", "arguments": {"text": "x"}}
            frontend.request({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
            self.assertIn('client="desk 7"', frontend.stderr.wait_for("name=fake__echo"))


main()
