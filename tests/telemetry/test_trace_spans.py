"""The spans of calls, as a collector receives them: stages, parents, attempts, questions, links,
and which calls are exported."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from auth_case import TOKEN, bearer
from conformance import fixture, fixture_upstream
from harness import (
    Gateway,
    McpSession,
    TestCase,
    fake,
    fake_config,
    main,
    result_of,
    stateless_call,
    stateless_message,
    stateless_post,
    stateless_request,
    text_of,
    wait_until,
)
from openapi_case import parameter, serve_document, upstream
from otlp_collector import OtlpCollector
from raw_service import RawService
from stub_server import StubServer
from wire_case import WireGateway

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
SERVER, CLIENT = 2, 3
SESSION_BASED = "2025-11-25"
FAST = {"initial_retry_interval": "10ms", "max_retry_interval": "50ms", "timeout": "500ms"}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}


def span_of(traceparent):
    return traceparent.split("-")[2]


class SpansCase(TestCase):
    def setUp(self):
        self.collector = self.enterContext(OtlpCollector())

    def gateway(self, upstreams=None, traces=None, logs=None, **settings):
        telemetry = {
            "otlp": {"endpoint": self.collector.endpoint, "encoding": "json", **FAST},
            "traces": {"interval": "20ms", **(traces or {})},
            "metrics": {"enabled": False},
            "logs": logs or {"enabled": False},
        }
        config = {"workers": 2, "upstreams": upstreams or {"fake": fake()}, **settings}
        gateway = self.enterContext(Gateway({**config, "telemetry": telemetry}))
        gateway.wait_ready()
        return gateway

    def calls(self, count, name="tools/call"):
        """The spans of so many calls, once they have come."""

        def found():
            spans = self.collector.spans()
            servers = [one for one in spans if one["kind"] == SERVER and one["name"].startswith(name)]
            return servers if len(servers) >= count else None

        servers = wait_until(found, f"{count} calls")
        self.assertEqual(len(servers), count)
        return servers

    def stages(self, call):
        """The spans below that of a call, in the order of their begin."""
        spans = [one for one in self.collector.spans() if one["traceId"] == call["traceId"]]
        below = [one for one in spans if one["kind"] != SERVER]
        return sorted(below, key=lambda one: int(one["startTimeUnixNano"]))

    def names(self, call):
        stage = lambda span: span["attributes"].get("patchbay.stage", span["name"])
        return [stage(span) for span in self.stages(call)]


class Stages(SpansCase):
    def test_of_a_call(self):
        gateway = self.gateway()
        stateless_call(gateway, "fake__echo", {"traceparent": PARENT}, text="x")
        (call,) = self.calls(1)
        self.assertEqual((call["traceId"], call["parentSpanId"]), (TRACE, SPAN))
        wanted = ["limit", "route", "authorize", "validate", "queue", "attempt"]
        self.assertEqual(self.names(call), wanted)
        for stage in self.stages(call):
            self.assertEqual(stage["parentSpanId"], call["spanId"])
            self.assertLessEqual(int(stage["endTimeUnixNano"]), int(call["endTimeUnixNano"]))

    def test_the_caller_is_authenticated_first(self):
        auth = {"tokens": [{"name": "ci", "token": TOKEN}]}
        gateway = self.gateway(auth=auth, audit={"file": "audit.jsonl", "required": True})
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}})
        self.assertEqual(stateless_post(gateway, message, bearer()).status, 200)
        (call,) = self.calls(1)
        names = self.names(call)
        self.assertEqual((names[0], names[-1]), ("authenticate", "record"))
        self.assertEqual(call["attributes"]["user.name"], "ci")
        self.assertNotIn(TOKEN, json.dumps(self.collector.spans()))

    def test_of_refused_calls_and_lists(self):
        gateway = self.gateway()
        stateless_call(gateway, "fake__nothing")
        (call,) = self.calls(1)
        self.assertEqual(self.names(call), ["limit", "route", "authorize"])
        stateless_request(gateway, "tools/list")
        (call,) = self.calls(1, "tools/list")
        self.assertEqual(self.names(call), ["limit", "route"])

    def test_waiting_for_a_person(self):
        rules = [{"role": "local", "allow": ["fake.*"], "approve": ["fake.echo"]}]
        gateway = self.gateway(rules=rules)
        answer = stateless_call(gateway, "fake__echo", text="x")
        self.assertIn("approval", text_of(answer))
        (call,) = self.calls(1)
        self.assertEqual(self.names(call), ["limit", "route", "authorize", "validate", "approve"])


class Continued(SpansCase):
    def test_each_attempt_is_what_the_upstream_continues(self):
        stub = self.enterContext(StubServer())
        gateway = self.gateway({"far": stub.upstream()}, workers=1)
        stateless_call(gateway, "far__whoami")
        stub.sessions.clear()  # The server loses our session: the call is made again.
        stateless_call(gateway, "far__whoami", {"traceparent": PARENT})
        call = next(one for one in self.calls(2) if one["traceId"] == TRACE)
        attempts = [one for one in self.stages(call) if one["kind"] == CLIENT]
        seen = [one.headers["traceparent"] for one in stub.saw("tools/call")[1:]]
        self.assertEqual([one["spanId"] for one in attempts], [span_of(one) for one in seen])
        self.assertEqual([one.get("status", {}).get("code") for one in attempts], [2, None])
        self.assertEqual(self.names(call).count("queue"), 2)
        found = attempts[0]["attributes"]
        self.assertEqual(found["server.address"], "127.0.0.1")
        self.assertIn(f":{found['server.port']}/", stub.upstream()["url"])
        self.assertEqual(found["mcp.method.name"], "tools/call")

    def test_attempts_name_the_server(self):
        far = self.enterContext(WireGateway(fake_config()))
        lines, events = (
            self.enterContext(fixture("--revisions", "2024-11-05", transport=kind)) for kind in ("tcp", "sse")
        )
        port_of = lambda server: int(server.address.rpartition(":")[2].split("/")[0])
        expected = {
            "ws__fake__echo": far.port,
            "wire__fake__echo": far.wire_port,
            "tcp__test_simple_text": port_of(lines),
            "sse__test_simple_text": port_of(events),
            "local__echo": None,
        }
        upstreams = {
            "ws": {"kind": "ws", "url": f"ws://127.0.0.1:{far.port}/mcp"},
            "wire": {"kind": "wire-tcp", "url": f"tcp://127.0.0.1:{far.wire_port}"},
            "tcp": lines.upstream(),
            "sse": events.upstream(),
            "local": fake(),
        }
        gateway = self.gateway(upstreams)
        for number, (tool, port) in enumerate(expected.items(), 1):
            with self.subTest(tool):
                result_of(stateless_call(gateway, tool, text="x"))
                calls = self.calls(number)
                call = next(one for one in calls if one["attributes"]["gen_ai.tool.name"] == tool)
                (attempt,) = [one for one in self.stages(call) if one["kind"] == CLIENT]
                found = attempt["attributes"]
                self.assertEqual(found.get("server.address"), port and "127.0.0.1")
                self.assertEqual(int(found["server.port"]) if port else found.get("server.port"), port)

    def test_a_question_is_below_its_attempt(self):
        gateway = self.gateway()
        with McpSession(gateway, capabilities={"elicitation": {}}) as session:
            arguments = {"method": "elicitation/create", "params": FORM}
            call = {"name": "fake__ask_client", "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
            events = session.post(message).events()
            question = next(json.loads(event.data) for event in events if event.data)
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
            with gateway.connect() as connection:
                session.post(answer, connection).read()
            list(events)
        (call,) = self.calls(1)
        asked = next(one for one in self.stages(call) if one["name"] == "ask")
        attempt = next(
            one for one in self.stages(call) if one["attributes"].get("patchbay.stage") == "attempt"
        )
        self.assertEqual(asked["kind"], CLIENT)
        self.assertEqual(asked["parentSpanId"], attempt["spanId"])
        self.assertEqual(asked["spanId"], span_of(question["params"]["_meta"]["traceparent"]))

    def test_a_call_that_waits_for_its_client_and_the_request_that_goes_on(self):
        gateway = self.gateway()
        arguments = {"method": "elicitation/create", "params": FORM}
        call = {"name": "fake__ask_client", "arguments": arguments}
        meta = {CAPABILITIES: {"elicitation": {"form": {}}}, "traceparent": PARENT}
        asked = result_of(stateless_request(gateway, "tools/call", call, 0, meta))
        self.assertEqual(asked["resultType"], "input_required")
        (key, question), = asked["inputRequests"].items()
        more = {"inputResponses": {key: {"action": "decline"}}, "requestState": asked["requestState"]}
        del meta["traceparent"]
        result_of(stateless_request(gateway, "tools/call", {**call, **more}, 1, meta))
        first, second = sorted(self.calls(2), key=lambda one: one["traceId"] != TRACE)
        self.assertEqual(first["traceId"], TRACE)
        self.assertNotEqual(second["traceId"], TRACE)
        self.assertEqual(first.get("links", []), [])
        (link,) = second["links"]
        self.assertEqual((link["traceId"], link["spanId"]), (TRACE, first["spanId"]))
        asks = next(one for one in self.stages(first) if one["name"] == "ask")
        self.assertEqual(asks["spanId"], span_of(question["params"]["_meta"]["traceparent"]))

    def test_requests_about_a_task_and_the_call_that_made_it(self):
        server = fixture_upstream("--revisions", SESSION_BASED)
        gateway = self.gateway({"up": server}, names={"prefix": "never"})
        with McpSession(gateway, SESSION_BASED) as session:
            call = {"name": "slow_compute", "arguments": {"seconds": 0.1, "label": "a"}}
            params = {**call, "task": {"ttl": 60000}, "_meta": {"traceparent": PARENT}}
            task = result_of(session.request("tools/call", params))["task"]["taskId"]
            for method in ("tasks/get", "tasks/result"):
                result_of(session.request(method, {"taskId": task}))
        (made,) = self.calls(1)
        self.assertEqual(made["traceId"], TRACE)
        for method in ("tasks/get", "tasks/result"):
            (asked,) = self.calls(1, method)
            self.assertNotEqual(asked["traceId"], TRACE)
            (link,) = asked["links"]
            self.assertEqual((link["traceId"], link["spanId"]), (TRACE, made["spanId"]))

    def test_a_goal_is_above_its_steps(self):
        gateway = self.gateway({"fake": fake(), "skills": {"kind": "builtin"}})
        with gateway.connect() as connection:
            goal = {"goal": "fake.echo: text=a then fake.echo: text=b"}
            fields = {**goals.JSON, "traceparent": PARENT}
            self.assertEqual(goals.post(connection, goal, fields).status, 200)
        steps = self.calls(2)
        (goal,) = self.calls(1, "goal")
        self.assertEqual((goal["traceId"], goal["parentSpanId"]), (TRACE, SPAN))
        for step in steps:
            self.assertEqual((step["traceId"], step["parentSpanId"]), (TRACE, goal["spanId"]))


class Conventions(SpansCase):
    def service(self):
        get = {"operationId": "pet", "responses": {"200": {"description": "ok"}}}
        get["parameters"] = [parameter("id", "path", schema={"type": "string"})]
        document = {
            "openapi": "3.0.3",
            "info": {"title": "t", "version": "1"},
            "servers": [{"url": "/v1"}],
            "paths": {"/pets/{id}": {"get": get}},
        }
        service = self.enterContext(RawService())
        serve_document(service, document)
        return service

    def attempt(self, call):
        (attempt,) = [one for one in self.stages(call) if one["kind"] == CLIENT]
        return attempt

    def test_requests_of_http(self):
        service = self.service()
        gateway = self.gateway({"api": upstream(service)})
        status, failed = {"200": 200, "404": 404}, {}
        service.on["GET /v1/pets/404"] = lambda request: (404, "application/json", b"{}")
        for number, name in enumerate(status, 1):
            with gateway.connect() as connection:
                body = json.dumps({"id": name}).encode()
                connection.request("POST", "/api/api__pet", {"Content-Type": "application/json"}, body)
            call = self.calls(number)[-1]
            attempt = self.attempt(call)
            self.assertEqual(attempt["name"], "GET /v1/pets/{id}")
            found = attempt["attributes"]
            self.assertEqual(found["http.request.method"], "GET")
            self.assertEqual(found["url.template"], "/v1/pets/{id}")
            self.assertEqual(int(found["http.response.status_code"]), status[name])
            self.assertEqual(found["server.address"], "127.0.0.1")
            self.assertIn(str(found["server.port"]), service.url)
            failed[name] = (attempt.get("status", {}).get("code"), found.get("error.type"))
            self.assertEqual(call["attributes"]["http.request.method"], "POST")
            self.assertEqual(call["attributes"]["url.path"], "/api/api__pet")
        self.assertEqual(failed, {"200": (None, None), "404": (2, "404")})

    def test_a_tool_that_fails_fails_its_attempt(self):
        gateway = self.gateway()
        stateless_call(gateway, "fake__fail")
        attempt = self.attempt(self.calls(1)[0])
        self.assertEqual(attempt["status"]["code"], 2)
        self.assertEqual(attempt["attributes"]["error.type"], "tool_error")

    def test_lines_and_exemplars_name_the_span(self):
        gateway = self.gateway(logs={"interval": "20ms"})
        stateless_call(gateway, "fake__echo", text="x")
        (call,) = self.calls(1)
        of_call = lambda: [line for line in self.collector.lines() if line["body"] == "call"]
        (line,) = wait_until(of_call, "the line of the call")
        self.assertEqual((line["traceId"], line["spanId"]), (call["traceId"], call["spanId"]))
        with gateway.connect() as connection:
            asked = {"Accept": "application/openmetrics-text"}
            text = connection.request("GET", "/metrics", asked).body.decode()
        self.assertIn(f'# {{trace_id="{call["traceId"]}",span_id="{call["spanId"]}"}}', text)


class Exported(SpansCase):
    def test_calls_that_fail_although_they_were_not_sampled(self):
        gateway = self.gateway(traces={"sample_ratio": 0})
        meta = json.loads(text_of(stateless_call(gateway, "fake__echo_meta")))
        self.assertTrue(meta["traceparent"].endswith("-00"))
        stateless_call(gateway, "fake__fail")
        (call,) = self.calls(1)
        self.assertEqual(call["attributes"]["patchbay.outcome"], "tool_error")

    def test_calls_that_are_slow(self):
        gateway = self.gateway(traces={"sample_ratio": 0, "slow_call_threshold": "2s"})
        stateless_call(gateway, "fake__echo", text="x")
        stateless_call(gateway, "fake__sleep", seconds=2.1)
        (call,) = self.calls(1)
        self.assertEqual(call["attributes"]["gen_ai.tool.name"], "fake__sleep")

    def test_content_only_where_the_settings_say_so(self):
        audit = {"redact": ["*secret*"]}
        arguments = {"text": "hello " * 100, "secret": "s3cret"}
        gateway = self.gateway(traces={"content": "full", "max_content_size": 64}, audit=audit)
        stateless_call(gateway, "fake__echo", **arguments)
        (call,) = self.calls(1)
        attributes = call["attributes"]
        self.assertIn("[redacted]", attributes["gen_ai.tool.call.arguments"])
        self.assertEqual(len(attributes["gen_ai.tool.call.arguments"]), 64)
        self.assertEqual(len(attributes["gen_ai.tool.call.result"]), 64)
        self.assertNotIn("s3cret", json.dumps(self.collector.spans()))

    def test_the_id_of_a_session_is_no_part_of_a_span(self):
        gateway = self.gateway()
        with McpSession(gateway) as session:
            session.call("fake__echo", text="x")
            (call,) = self.calls(1)
            self.assertRegex(call["attributes"]["patchbay.session"], "^[0-9a-f]{16}$")
            self.assertNotIn(session.id, json.dumps(self.collector.spans()))


if __name__ == "__main__":
    main()
