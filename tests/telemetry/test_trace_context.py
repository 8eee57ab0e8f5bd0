"""The context of a trace: taken from every frontend, passed on to every upstream, with a span of
the gateway between both where it traces."""

import json
import pathlib
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    answer_from,
    fake,
    fake_config,
    main,
    result_of,
    stateless_call,
    stateless_headers,
    stateless_message,
    stateless_post,
    text_of,
    to_yaml,
    wait_until,
)
from raw_service import RawService
from sse_client import SseClient
from stub_server import StubServer
from wire_case import WireGateway
from wire_client import rpc
from ws_client import WsClient

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
UNSAMPLED = f"00-{TRACE}-{SPAN}-00"
CONTEXT = {"traceparent": PARENT, "tracestate": "vendor=1,other=2", "baggage": "tenant=acme"}
OTHER = {"traceparent": f"00-{TRACE[::-1]}-{SPAN[::-1]}-01", "tracestate": "vendor=meta"}
ECHO = {"name": "fake__echo_meta", "arguments": {}}
JSON = {"Content-Type": "application/json"}

# Longer, or of more members, than the standards allow, and what no header may have.
HOSTILE = {
    "tracestate": [
        "a=" + "x" * 600,
        "a=b\r\nInjected: yes",
        ",".join(f"k{n}=v" for n in range(33)),
        "a=1,B=2",
        "a=1=2",
        "a",
    ],
    "baggage": ["a=" + "x" * 9000, "a=b\r\nInjected: yes", ",".join(f"k{n}=v" for n in range(200))],
}


def split(traceparent):
    """The trace, the span and the flags."""
    version, trace, span, flags = traceparent.split("-")
    assert version == "00", traceparent
    return trace, span, flags


def context_of(headers):
    """The context in the headers that a stub has seen."""
    found = {key: headers.get(key) for key in CONTEXT}
    return {key: value for key, value in found.items() if value is not None}


class TraceCase(TestCase):
    def collector(self):
        """Takes whatever is exported."""
        return self.enterContext(RawService())

    def telemetry(self, **traces):
        return {"otlp": {"endpoint": self.collector().url}, "traces": traces}

    def gateway(self, config=None, kind=Gateway, traced=True, **traces):
        config = fake_config(workers=2) if config is None else config
        if traced:
            config = {**config, "telemetry": self.telemetry(**traces)}
        return self.enterContext(kind(config))

    def assert_child(self, context, flags="01", **wanted):
        """It continues a span of the gateway in the trace of the client."""
        trace, span, found = split(context["traceparent"])
        self.assertEqual((trace, found), (TRACE, flags))
        self.assertNotEqual(span, SPAN)
        for key, value in {**CONTEXT, **wanted}.items():
            if key != "traceparent":
                self.assertEqual(context.get(key), value)
        return span


def echoed(answer):
    """The `_meta` that the fake server saw, without what the protocol itself puts there."""
    meta = json.loads(text_of(answer))
    return {key: value for key, value in meta.items() if "/" not in key}


class Frontends(TraceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service = cls.enterClassContext(RawService())
        telemetry = {"otlp": {"endpoint": cls.service.url}}
        config = {"upstreams": {"fake": fake(), "skills": {"kind": "builtin"}}, "workers": 2}
        cls.traced = cls.enterClassContext(WireGateway({**config, "telemetry": telemetry}))
        cls.plain = cls.enterClassContext(WireGateway(config))

    def both(self):
        for name, gateway in (("traced", self.traced), ("plain", self.plain)):
            with self.subTest(name):
                yield gateway

    def check(self, gateway, meta):
        if gateway is self.traced:
            self.assert_child(meta)
        else:
            self.assertEqual({key: meta.get(key) for key in CONTEXT}, CONTEXT)

    def test_stateless_http_headers(self):
        for gateway in self.both():
            response = stateless_post(gateway, stateless_message("tools/call", ECHO), CONTEXT)
            self.check(gateway, echoed(answer_from(response)))

    def test_stateless_http_meta(self):
        for gateway in self.both():
            self.check(gateway, echoed(stateless_call(gateway, "fake__echo_meta", CONTEXT)))

    def test_session_headers_and_meta(self):
        for gateway in self.both():
            with McpSession(gateway, headers=CONTEXT) as session:
                self.check(gateway, echoed(session.call("fake__echo_meta")))
            with McpSession(gateway) as session:
                self.check(gateway, echoed(session.call("fake__echo_meta", CONTEXT)))

    def test_lists_in_several_header_fields(self):
        """As the Trace Context standard has it: one list; and of several parents none counts."""
        for gateway in self.both():
            fields = [("traceparent", PARENT)]
            for name in ("tracestate", "baggage"):
                fields += [(name, "a=1"), (name, ""), (name.upper(), "b=2 , c=3")]
            meta = self.echoed_with(gateway, fields)
            self.assertEqual(split(meta["traceparent"])[0], TRACE)
            for name in ("tracestate", "baggage"):
                self.assertEqual(meta[name], "a=1,b=2 , c=3")
            meta = self.echoed_with(gateway, [*fields, ("traceparent", OTHER["traceparent"])])
            self.assertNotIn("tracestate", meta)
            for theirs in (PARENT, OTHER["traceparent"]):
                self.assertNotIn(split(theirs)[0], meta.get("traceparent", ""))

    def echoed_with(self, gateway, fields):
        """What an upstream gets of a call with these header fields, which may repeat a name."""
        message = stateless_message("tools/call", ECHO)
        body = json.dumps(message)
        fields = [*stateless_headers(message).items(), *fields, ("Content-Length", len(body))]
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        with gateway.connect() as connection:
            connection.send_raw(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n{body}".encode())
            return echoed(answer_from(connection.read_response()))

    def test_a_page_of_a_browser_may_send_the_context(self):
        config = {**fake_config(), "http": {"cors": {"origins": ["https://page.test"]}}}
        gateway = self.gateway(config, traced=False)
        asked = {
            "Origin": "https://page.test",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,traceparent,tracestate,baggage",
        }
        with gateway.connect() as connection:
            response = connection.request("OPTIONS", "/mcp", asked)
        allowed = response.header("Access-Control-Allow-Headers").lower().split(", ")
        self.assertLessEqual({"traceparent", "tracestate", "baggage"}, set(allowed))

    def test_batches(self):
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ECHO}
        for gateway in self.both():
            with McpSession(gateway, "2025-03-26") as session:
                response = session.post([message], headers=CONTEXT)
                (answer,) = json.loads(response.read())
                self.check(gateway, echoed(answer))

    def test_headers_come_before_the_meta(self):
        message = stateless_message("tools/call", ECHO, meta=OTHER)
        for gateway in self.both():
            response = stateless_post(gateway, message, CONTEXT)
            self.check(gateway, echoed(answer_from(response)))

    def test_the_rest_of_the_meta_stays(self):
        for gateway in self.both():
            meta = echoed(
                stateless_call(gateway, "fake__echo_meta", {"own": {"a": [1]}, **CONTEXT})
            )
            self.assertEqual(meta["own"], {"a": [1]})
            self.check(gateway, meta)

    def test_http_with_sse(self):
        params = {"name": "fake__echo_meta", "arguments": {}}
        for gateway in self.both():
            with SseClient(gateway) as client:
                answer = client.request("tools/call", {**params, "_meta": CONTEXT})
                self.check(gateway, echoed(answer))
                message = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}
                with gateway.connect() as connection:
                    posted = connection.request(
                        "POST", client.endpoint, {**JSON, **CONTEXT}, message
                    )
                self.assertEqual(posted.status, 202)
                self.check(gateway, echoed(client.next_message()))

    def test_websocket(self):
        for gateway in self.both():
            with WsClient(gateway.port) as client:
                answer = client.request(rpc("tools/call", {**ECHO, "_meta": CONTEXT}))
                self.check(gateway, echoed(answer["mcp_payload"]))

    def test_wire(self):
        for gateway in self.both():
            with gateway.client() as client:
                answer = client.request(rpc("tools/call", {**ECHO, "_meta": CONTEXT}))
                self.check(gateway, echoed(answer["mcp_payload"]))

    def test_rest(self):
        for gateway in self.both():
            with gateway.connect() as connection:
                fields = {**JSON, **CONTEXT}
                response = connection.request("POST", "/api/fake.echo_meta", fields, {})
            self.check(gateway, json.loads(response.json()["content"][0]["text"]))

    def test_each_step_of_a_goal(self):
        for gateway in self.both():
            with gateway.connect() as connection:
                goal = {"goal": "fake.echo_meta: {} then fake.echo_meta: {}"}
                response = goals.post(connection, goal, {**JSON, **CONTEXT})
            steps = [json.loads(step["output"]) for step in response.json()["trace"]]
            self.assertEqual(len(steps), 2, response.body)
            for meta in steps:
                self.check(gateway, meta)
            same = steps[0]["traceparent"] == steps[1]["traceparent"]
            self.assertEqual(same, gateway is self.plain)

    def test_stdio(self):
        for traced in (True, False):
            config = fake_config()
            if traced:
                config["telemetry"] = self.telemetry()
            folder = pathlib.Path(self.traced.folder.name)
            path = folder / f"stdio-{traced}.yaml"
            path.write_text(to_yaml(config), encoding="utf-8")
            with self.subTest(traced=traced), StdioFrontend([BINARY, "stdio", "-c", str(path)]) as client:
                message = stateless_message("tools/call", ECHO, 5, CONTEXT)
                meta = echoed(client.request(message))
                self.check(self.traced if traced else self.plain, meta)
                client.close_stdin()


class Decisions(TraceCase):
    def test_a_call_without_a_parent_begins_a_trace(self):
        gateway = self.gateway()
        seen = [echoed(stateless_call(gateway, "fake__echo_meta"))["traceparent"] for _ in range(2)]
        (first, _, flags), (second, _, _) = map(split, seen)
        self.assertNotEqual(first, second)
        self.assertEqual(flags, "01")

    def test_the_parent_decides(self):
        gateway = self.gateway()
        meta = echoed(stateless_call(gateway, "fake__echo_meta", {"traceparent": UNSAMPLED}))
        self.assertEqual(split(meta["traceparent"])[2], "00")
        gateway = self.gateway(sample_ratio=0)
        meta = echoed(stateless_call(gateway, "fake__echo_meta", {"traceparent": PARENT}))
        self.assertEqual(split(meta["traceparent"])[2], "01")

    def test_unless_the_settings_say_otherwise(self):
        gateway = self.gateway(sample_ratio=0, follow_parent=False)
        meta = echoed(stateless_call(gateway, "fake__echo_meta", {"traceparent": PARENT}))
        self.assertEqual(split(meta["traceparent"])[::2], (TRACE, "00"))

    def test_malformed_contexts_are_ignored(self):
        gateway = self.gateway()
        bad = ["x" * 55, PARENT.upper(), PARENT[:-1], PARENT + "0", "ff" + PARENT[2:], 7, {},
               f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01"]
        for one in bad:
            with self.subTest(one):
                meta = echoed(stateless_call(gateway, "fake__echo_meta", {"traceparent": one}))
                trace, span, flags = split(meta["traceparent"])
                self.assertEqual((len(trace), len(span), flags), (32, 16, "01"))
                self.assertNotEqual(trace, TRACE)
        message = stateless_message("tools/call", ECHO, meta=OTHER)
        answer = answer_from(stateless_post(gateway, message, {"traceparent": "nonsense"}))
        self.assertEqual(split(echoed(answer)["traceparent"])[0], TRACE[::-1])

    def test_off_malformed_text_of_a_message_is_passed_on_unchanged(self):
        gateway = self.gateway(traced=False)
        meta = echoed(stateless_call(gateway, "fake__echo_meta", {"traceparent": "00-ab", "k": 1}))
        meta.pop("progressToken")  # The gateway's own.
        self.assertEqual(meta, {"traceparent": "00-ab", "k": 1})
        self.assertEqual(list(echoed(stateless_call(gateway, "fake__echo_meta"))), ["progressToken"])

    def test_a_reload_begins_and_ends_tracing(self):
        gateway = self.gateway(traced=False)
        telemetry = self.telemetry()

        def traces():
            return "traceparent" in echoed(stateless_call(gateway, "fake__echo_meta"))

        self.assertFalse(traces())
        gateway.write_config(fake_config(workers=2, telemetry=telemetry))
        wait_until(traces, "calls to be traced")
        gateway.write_config(fake_config(workers=2))
        wait_until(lambda: not traces(), "calls not to be traced")

    def test_log_lines_and_records_name_the_trace(self):
        config = fake_config(audit={"file": "audit.jsonl"})
        for traced in (True, False):
            with self.subTest(traced=traced):
                gateway = self.gateway(config, traced=traced, sample_ratio=0, failed_calls=True)
                stateless_call(gateway, "fake__echo", CONTEXT, text="child")
                stateless_call(gateway, "fake__echo", text="root")
                stateless_call(gateway, "fake__rpc_error")
                wait_until(lambda gateway=gateway: len(gateway.log_calls()) == 3, "three lines")
                # Lines of different workers may change places.
                failed, *echoes = sorted(gateway.log_calls(), key=lambda line: "fake__rpc_error" not in line)
                child, root = sorted(echoes, key=lambda line: "trace=" not in line)
                self.assertIn(f" trace={TRACE} ", child)
                self.assertNotIn("trace=", root)
                self.assertEqual("trace=" in failed, traced, failed)
                path = pathlib.Path(gateway.folder.name) / "audit.jsonl"
                wait_until(lambda path=path: path.read_text().count("\n") == 3, "three records")
                found = [json.loads(line).get("trace") for line in path.read_text().splitlines()]
                self.assertEqual(found[0], TRACE)
                self.assertEqual([bool(one) for one in found[1:]], [traced, traced])


class Upstreams(TraceCase):
    def stub(self, **options):
        return self.enterContext(StubServer(**options))

    def test_http(self):
        for stateless in (True, False):
            for traced in (True, False):
                with self.subTest(stateless=stateless, traced=traced):
                    stub = self.stub(stateless=stateless)
                    config = {"upstreams": {"far": stub.upstream()}, "workers": 1}
                    gateway = self.gateway(config, traced=traced)
                    message = stateless_message("tools/call", {"name": "far__whoami"})
                    answer_from(stateless_post(gateway, message, CONTEXT))
                    stateless_call(gateway, "far__whoami", CONTEXT)
                    for seen in stub.saw("tools/call"):
                        headers = context_of(seen.headers)
                        meta = seen.message["params"]["_meta"]
                        self.assertEqual({key: meta.get(key) for key in CONTEXT}, headers)
                        if traced:
                            self.assert_child(headers)
                        else:
                            self.assertEqual(headers, CONTEXT)

    def test_each_attempt_is_a_span_of_its_own(self):
        stub = self.stub()
        config = {"upstreams": {"far": stub.upstream()}, "workers": 1}
        gateway = self.gateway(config)
        stateless_call(gateway, "far__whoami")
        stub.sessions.clear()  # The server loses our session: the call is made again.
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami", CONTEXT)), stub.name)
        spans = [self.assert_child(context_of(seen.headers)) for seen in stub.saw("tools/call")[1:]]
        self.assertEqual(len(spans), 2)
        self.assertNotEqual(*spans)

    def chain(self, kind, url, traced):
        """A second gateway, which does not trace, in front of the program."""
        second = self.gateway(traced=False)
        address = url.format(port=second.port)
        config = {"upstreams": {"far": {"kind": kind, "url": address}}, "workers": 2}
        return self.gateway(config, traced=traced)

    def test_other_transports(self):
        for kind, url in (
            ("http", "http://127.0.0.1:{port}/mcp"),
            ("sse", "http://127.0.0.1:{port}/sse"),
            ("ws", "ws://127.0.0.1:{port}/mcp"),
        ):
            for traced in (True, False):
                with self.subTest(kind, traced=traced):
                    gateway = self.chain(kind, url, traced)
                    tool = next(
                        tool["name"]
                        for tool in gateway.get("/mcp/v1/tools").json()["tools"]
                        if tool["name"].endswith("echo_meta")
                    )
                    answer = stateless_call(gateway, tool.replace(".", "__", 1), CONTEXT)
                    meta = echoed(answer)
                    if traced:
                        self.assert_child(meta)
                    else:
                        self.assertEqual({key: meta.get(key) for key in CONTEXT}, CONTEXT)

    def test_openapi(self):
        document = {
            "openapi": "3.0.3",
            "info": {"title": "t", "version": "1"},
            "servers": [{"url": "/"}],
            "paths": {"/x": {"get": {"operationId": "x", "responses": {"200": {"description": "ok"}}}}},
        }
        service = self.enterContext(RawService())
        body = json.dumps(document).encode()
        service.on["GET /openapi.json"] = lambda request: (200, "application/json", body)
        upstream = {"kind": "openapi", "document": f"{service.url}/openapi.json"}
        for traced in (True, False):
            with self.subTest(traced=traced):
                gateway = self.gateway({"upstreams": {"api": upstream}}, traced=traced)
                result_of(stateless_call(gateway, "api__x", CONTEXT))
                headers = {key: service.last().field(key) for key in CONTEXT}
                if traced:
                    self.assert_child(headers)
                else:
                    self.assertEqual(headers, CONTEXT)

    def test_hostile_text_never_reaches_an_upstream(self):
        stub = self.stub()
        config = {"upstreams": {"far": stub.upstream()}, "workers": 1}
        for traced in (True, False):
            gateway = self.gateway(config, traced=traced)
            for key, texts in HOSTILE.items():
                for text in texts:
                    with self.subTest(traced=traced, text=text[:30]):
                        stateless_call(gateway, "far__whoami", {"traceparent": PARENT, key: text})
                        seen = stub.saw("tools/call")[-1]
                        self.assertEqual(split(seen.headers["traceparent"])[0], TRACE)
                        self.assertNotIn(key, seen.message["params"]["_meta"])
                        self.assertNotIn(key, seen.headers)
                        self.assertNotIn("Injected", seen.headers)

    def test_questions_continue_the_call(self):
        for traced in (True, False):
            with self.subTest(traced=traced):
                gateway = self.gateway(traced=traced)
                capabilities = {"elicitation": {}}
                with McpSession(gateway, capabilities=capabilities) as session:
                    arguments = {
                        "method": "elicitation/create",
                        "params": {"message": "?", "requestedSchema": {}, "_meta": {"own": 1}},
                    }
                    call = {"name": "fake__ask_client", "arguments": arguments, "_meta": CONTEXT}
                    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
                    events = session.post(message).events()
                    question = next(json.loads(event.data) for event in events if event.data)
                    meta = question["params"]["_meta"]
                    self.assertEqual(meta["own"], 1)
                    self.assertEqual("traceparent" in meta, traced)
                    if traced:
                        self.assert_child({**meta, "baggage": CONTEXT["baggage"]})
                        self.assertNotIn("baggage", meta)
                    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
                    with gateway.connect() as connection:
                        session.post(answer, connection).read()
                    last = [json.loads(event.data) for event in events if event.data][-1]
                    self.assertEqual(last["id"], 7)


if __name__ == "__main__":
    main()
