"""Documents of OpenAPI upstreams: where they are loaded from, and what happens when they change."""

import json
import os
import pathlib
import signal
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    main,
    result_of,
    stateless_call,
    stateless_request,
    wait_until,
)
from openapi_case import parameter, serve_document
from raw_service import RawService, response


class Documents(TestCase):
    """Where a document comes from, and what becomes of it when it changes."""

    def document(self, *names):
        paths = {f"/{name}": {"get": {"operationId": name}} for name in names}
        return {"openapi": "3.1.0", "servers": [{"url": self.service.url}], "paths": paths}

    def start(self, **settings):
        self.service = self.enterContext(RawService())
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "api.json"
        self.settings = settings

    def run_gateway(self, document=None):
        entry = {"kind": "openapi", "document": document or str(self.file), **self.settings}
        upstreams = {"api": entry, "s": {"kind": "builtin"}}
        self.gateway = self.enterContext(Gateway({"upstreams": upstreams}))

    def write(self, text):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        fresh.rename(self.file)

    def names(self):
        tools = result_of(stateless_request(self.gateway, "tools/list"))["tools"]
        return {tool["name"][5:] for tool in tools if tool["name"].startswith("api__")}

    def wait_names(self, *names):
        wait_until(lambda: self.names() == set(names), f"the operations {names}")

    def detail(self):
        return json.dumps(self.gateway.get("/ready").json())

    def test_yaml(self):
        self.start()
        self.write(
            "openapi: 3.1.0\n"
            f"servers: [{{url: {self.service.url}}}]\n"
            "paths:\n"
            "  /a/{id}:\n"
            "    parameters: &p\n"
            "      - {name: id, in: path, required: true, schema: {type: [integer, string]}}\n"
            "    get: {operationId: getA}\n"
            "  /b/{id}:\n"
            "    parameters: *p\n"
            "    get:\n"
            "      operationId: getB\n"
            "      responses:\n"
            "        200: {description: ok}\n"
        )
        self.run_gateway()
        self.assertEqual(self.names(), {"getA", "getB"})
        result_of(stateless_call(self.gateway, "api__getB", id=5))
        self.assertEqual(self.service.last().target, "/b/5")

    def test_a_file_that_changes(self):
        self.start()
        self.write(self.document("a"))
        self.run_gateway()
        self.assertEqual(self.names(), {"a"})
        self.write(self.document("a", "b"))
        self.wait_names("a", "b")
        # A broken one changes nothing, and is reported.
        self.write("{")
        wait_until(lambda: "the last good one is used" in self.detail(), "the fault to be shown")
        self.assertEqual(self.names(), {"a", "b"})
        result_of(stateless_call(self.gateway, "api__b"))
        self.write(self.document("c"))
        self.wait_names("c")
        wait_until(lambda: "the last good one" not in self.detail(), "the fault to be gone")

    def test_a_url_that_changes(self):
        self.start(refresh_interval="100ms")
        self.tag, self.body = "1", None
        self.body = json.dumps(self.document("a")).encode()

        def answer(request):
            if request.field("If-None-Match") == f'"{self.tag}"':
                return response(304, "", b"", ETag=f'"{self.tag}"')
            return response(200, "application/json", self.body, ETag=f'"{self.tag}"')

        self.service.on["GET /openapi.json"] = answer
        self.run_gateway(f"{self.service.url}/openapi.json")
        self.assertEqual(self.names(), {"a"})
        conditional = lambda: [one for one in self.service.seen if one.field("If-None-Match")]
        wait_until(conditional, "a conditional GET")
        self.body, self.tag = json.dumps(self.document("b")).encode(), "2"
        self.wait_names("b")
        self.service.on["GET /openapi.json"] = lambda request: (500, "", b"")
        wait_until(lambda: "HTTP status 500" in self.detail(), "the fault to be shown")
        self.assertEqual(self.names(), {"b"})

    def test_sighup_reads_it_again(self):
        self.start()
        serve_document(self.service, self.document("a"))
        self.run_gateway(f"{self.service.url}/openapi.json")
        serve_document(self.service, self.document("b"))
        self.assertEqual(self.names(), {"a"})
        os.kill(self.gateway.pid, signal.SIGHUP)
        self.wait_names("b")

    def test_a_document_that_comes_late(self):
        self.start(retry_interval="100ms")
        self.run_gateway()
        self.assertEqual(self.names(), set())
        self.assertIn("cannot be read", self.detail())
        self.write(self.document("a"))
        self.wait_names("a")

    def test_what_is_no_document(self):
        self.start()
        others = ['{"openapi": "2.0"}', '{"swagger": "2.0"}']
        for text in ("", "[]", "{", "a: b", "\0", "- " * 500, *others):
            with self.subTest(text[:20]):
                self.write(text)
                entry = {"kind": "openapi", "document": str(self.file)}
                with Gateway({"upstreams": {"api": entry}}) as gateway:
                    ready = json.dumps(gateway.get("/ready").json())
                    self.assertIn("the document is of no use", ready)

    def test_tools_are_curated_as_everywhere(self):
        self.start(
            select={"operations": ["a*", "GET /b"]},
            tools={"deny": ["a2"], "rename": {"a1": "first"}, "describe": {"b": "B."}},
        )
        self.write(self.document("a1", "a2", "b", "c"))
        self.run_gateway()
        self.assertEqual(self.names(), {"first", "b"})
        result_of(stateless_call(self.gateway, "api__first"))
        self.assertEqual(self.service.last().target, "/a1")

    def test_a_thousand_operations(self):
        self.start()
        document = self.document()
        pet = {"$ref": "#/components/schemas/S0"}
        content = {"application/json": {"schema": pet}}
        for i in range(1000):
            document["paths"][f"/things/{i}/{{id}}"] = {
                "put": {
                    "operationId": f"op{i}",
                    "parameters": [parameter("id", "path", schema={"type": "string"})],
                    "requestBody": {"content": content},
                    "responses": {"200": {"description": "ok", "content": content}},
                }
            }
        document["components"] = {
            "schemas": {
                f"S{i}": {
                    "type": "object",
                    "properties": {"next": {"$ref": f"#/components/schemas/S{(i + 1) % 20}"}},
                }
                for i in range(20)
            }
        }
        self.write(document)
        self.run_gateway()
        with McpSession(self.gateway) as session:
            names, cursor = [], None
            while True:
                params = {"cursor": cursor} if cursor else {}
                page = result_of(session.request("tools/list", params))
                names += [tool["name"] for tool in page["tools"]]
                cursor = page.get("nextCursor")
                if not cursor:
                    break
            self.assertEqual(sum(name.startswith("api__op") for name in names), 1000)
            result_of(session.call("api__op999", id="x", body={"next": {"next": {}}}))
        self.assertEqual(self.service.last().target, "/things/999/x")

    def test_limits_of_an_answer(self):
        self.start(max_response_size="64KiB", timeout="200ms")
        self.write(self.document("large", "slow", "broken"))
        self.run_gateway()
        self.service.on["GET /large"] = lambda request: (200, "text/plain", b"a" * 100_000)
        error = stateless_call(self.gateway, "api__large")["error"]
        self.assertEqual(error["data"]["reason"], "upstream_failed")
        broken = b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"
        self.service.on["GET /broken"] = lambda request: broken
        error = stateless_call(self.gateway, "api__broken")["error"]
        self.assertEqual(error["data"]["reason"], "upstream_failed")
        waiting = threading.Event()
        self.addCleanup(waiting.set)
        self.service.on["GET /slow"] = lambda request: waiting.wait() and b""
        error = stateless_call(self.gateway, "api__slow")["error"]
        self.assertEqual(error["data"]["reason"], "timeout")


if __name__ == "__main__":
    main()
