"""`kind: openapi`: a service that an OpenAPI document describes, as an upstream."""

import base64
import json
import pathlib
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Background,
    Gateway,
    McpSession,
    TestCase,
    main,
    result_of,
    run,
    stateless_call,
    stateless_request,
    to_yaml,
    wait_until,
)
from openapi_case import PETSTORE, OpenapiCase, serve_document, upstream
from raw_service import RawService, response
from tls_proxy import TlsProxy, make_certificate


class Petstore(OpenapiCase):
    def test_operations_are_tools(self):
        tools = self.tools()
        self.assertEqual(
            set(tools),
            {"listPets", "createPet", "showPet", "replacePet", "dropPet", "photo", "addPhoto"},
        )
        self.assertEqual(tools["listPets"]["title"], "All pets")
        self.assertEqual(tools["replacePet"]["description"], "Deprecated. Swaps one.")
        self.assertTrue(tools["listPets"]["annotations"]["readOnlyHint"])
        self.assertTrue(tools["dropPet"]["annotations"]["destructiveHint"])
        self.assertTrue(tools["replacePet"]["annotations"]["idempotentHint"])

    def test_schemas_are_those_of_json_schema(self):
        tool = self.tools()["createPet"]
        sent, received = tool["inputSchema"]["$defs"]["Pet"], tool["outputSchema"]["$defs"]["Pet"]
        self.assertEqual(sent["required"], ["name"])
        self.assertNotIn("id", sent["properties"])
        self.assertIn("id", received["properties"])
        self.assertEqual(sent["properties"]["tag"], {"type": ["string", "null"]})
        self.assertEqual(sent["properties"]["age"], {"type": "number", "exclusiveMinimum": 0})
        self.assertEqual(sent["properties"]["name"]["examples"], ["Rex"])
        self.assertEqual(sent["properties"]["kin"]["items"], {"$ref": "#/$defs/Pet"})
        self.assertEqual(tool["outputSchema"]["type"], "object")

    def test_a_call_is_one_request(self):
        request = self.sent("listPets", limit=5, tags=["a b", "c&d"])
        self.assertEqual(request.line, "GET /v1/pets?limit=5&tags=a%20b&tags=c%26d HTTP/1.1")
        self.assertEqual(request.field("Host"), f"127.0.0.1:{self.service.port}")
        self.assertEqual(request.field("Accept"), "application/json, */*;q=0.5")
        request = self.sent("showPet", petId="a/b c")
        self.assertEqual(request.path, "/v1/pets/a%2Fb%20c")

    def test_a_body_goes_as_it_came(self):
        pet = {"name": "Rex", "tag": None, "kin": [{"name": "Tex"}]}
        request = self.sent("createPet", body=pet)
        self.assertEqual(request.field("Content-Type"), "application/json")
        self.assertEqual(json.loads(request.body), pet)
        self.assert_refused("createPet", body={"tag": "x"})
        self.assert_refused("createPet")
        self.assert_refused("createPet", body={"name": "a"}, more=1)

    def test_json_is_structured_content(self):
        self.service.on["GET /v1/pets/7"] = lambda request: (
            200,
            "application/json",
            b'{"id": 7, "name": "Rex"}',
        )
        result = self.call("showPet", petId="7")
        self.assertEqual(result["structuredContent"], {"id": 7, "name": "Rex"})
        self.assertEqual(json.loads(result["content"][0]["text"]), {"id": 7, "name": "Rex"})
        # A revision whose structured content is always an object gets a list as text alone.
        self.service.on["GET /v1/pets"] = lambda request: (200, "application/json", b"[1]")
        self.assertEqual(self.call("listPets")["structuredContent"], [1])
        with McpSession(self.gateway) as session:
            self.assertNotIn("structuredContent", result_of(session.call("pets__listPets")))
        del self.service.on["GET /v1/pets"]

    def test_a_refusal_is_an_error_result(self):
        self.service.on["GET /v1/pets/no"] = lambda request: response(
            404, "application/json", b'{"error": "no such pet"}', X_Secret="s3cret"
        )
        result = self.call("showPet", petId="no")
        self.assertTrue(result["isError"])
        self.assertEqual(result["content"][0]["text"], 'HTTP 404: {"error": "no such pet"}')
        self.assertNotIn("s3cret", json.dumps(result))

    def test_redirects_are_not_followed(self):
        self.service.on["GET /v1/pets/away"] = lambda request: response(
            302, "", b"", Location=f"{self.service.url}/v1/elsewhere"
        )
        result = self.call("showPet", petId="away")
        self.assertTrue(result["isError"])
        self.assertIn("redirects are not followed", result["content"][0]["text"])
        self.assertNotIn("elsewhere", self.service.last().line)

    def test_bytes_come_as_what_they_are(self):
        self.service.on["GET /v1/pets/1/photo"] = lambda request: (200, "image/png", b"\x89PNG\0")
        block = self.call("photo", petId="1")["content"][0]
        self.assertEqual((block["type"], block["mimeType"]), ("image", "image/png"))
        self.assertEqual(base64.b64decode(block["data"]), b"\x89PNG\0")
        zipped = (200, "application/zip", b"PK\xff")
        self.service.on["GET /v1/pets/2/photo"] = lambda request: zipped
        resource = self.call("photo", petId="2")["content"][0]["resource"]
        self.assertEqual(resource["uri"], "openapi://pets/pets/2/photo")
        self.assertEqual(base64.b64decode(resource["blob"]), b"PK\xff")

    def test_an_empty_answer_is_reported_as_empty(self):
        self.service.on["DELETE /v1/pets/3"] = lambda request: b"HTTP/1.1 204 No Content\r\n\r\n"
        block = self.call("dropPet", petId="3")["content"][0]
        self.assertEqual(block["text"], "HTTP 204, without content")

    def test_parts(self):
        data = base64.b64encode(b"\x00\xff--\r\n").decode()
        request = self.sent("addPhoto", petId="1", body={"file": data, "note": "a\r\n--x"})
        boundary = request.field("Content-Type").partition("boundary=")[2]
        parts = request.body.split(f"--{boundary}".encode())
        self.assertEqual(len(parts), 4)
        self.assertIn(b'name="file"; filename="file"', parts[1])
        self.assertTrue(parts[1].endswith(b"\r\n\r\n\x00\xff--\r\n\r\n"))
        self.assertTrue(parts[2].endswith(b"\r\n\r\na\r\n--x\r\n"))
        self.assert_refused("addPhoto", petId="1", body={"file": "not base64!"})

    def test_connections_are_reused(self):
        before = self.service.connections
        with McpSession(self.gateway) as session:
            for _ in range(20):
                session.call("pets__listPets")
        self.assertLessEqual(self.service.connections - before, 2)

    def test_a_service_that_closes_idle_connections_is_asked_again(self):
        with McpSession(self.gateway) as session:
            session.call("pets__listPets")
            with self.service.lock:
                for connection in self.service.open:
                    try:
                        connection.shutdown(1)
                    except OSError:
                        pass
            self.assertIn("result", session.call("pets__listPets"))

    def test_the_state_is_reported(self):
        health = self.gateway.get("/mcp/v1/health").json()
        self.assertIn("pets", json.dumps(health))
        self.assertEqual(self.gateway.metric("patchbay_upstream_up", upstream="pets"), 1)


class Resources(OpenapiCase):
    settings = {"gets": "both"}

    def read(self, uri):
        return stateless_request(self.gateway, "resources/read", {"uri": uri})

    def test_gets_are_resources_too(self):
        templates = result_of(stateless_request(self.gateway, "resources/templates/list"))
        uris = {one["uriTemplate"] for one in templates["resourceTemplates"]}
        self.assertEqual(
            uris,
            {
                "openapi://pets/pets{?limit}",
                "openapi://pets/pets/{petId}",
                "openapi://pets/pets/{petId}/photo",
            },
        )
        self.assertIn("showPet", self.tools())

    def test_they_can_be_read(self):
        self.service.on["GET /v1/pets/5"] = lambda request: (200, "application/json", b'{"id":5}')
        content = result_of(self.read("openapi://pets/pets/5"))["contents"][0]
        self.assertEqual(content["uri"], "openapi://pets/pets/5")
        self.assertEqual((content["mimeType"], content["text"]), ("application/json", '{"id":5}'))
        result_of(self.read("openapi://pets/pets"))
        self.assertEqual(self.service.last().target, "/v1/pets")
        result_of(self.read("openapi://pets/pets?limit=3"))
        self.assertEqual(self.service.last().target, "/v1/pets?limit=3")
        self.service.on["GET /v1/pets/6/photo"] = lambda request: (200, "image/png", b"\xff")
        content = result_of(self.read("openapi://pets/pets/6/photo"))["contents"][0]
        self.assertEqual(base64.b64decode(content["blob"]), b"\xff")

    def test_what_is_not_there(self):
        self.service.on["GET /v1/pets/none"] = lambda request: (404, "text/plain", b"no")
        self.assertIn("HTTP 404: no", self.read("openapi://pets/pets/none")["error"]["message"])
        self.assertIn("error", self.read("openapi://pets/nothing"))

    def test_uris_stay_in_their_segment(self):
        for uri in (
            "openapi://pets/pets/..",
            "openapi://pets/pets/%2e%2e",
            "openapi://pets/pets/%2e%2e%2fadmin",
            "openapi://pets/pets/../admin",
            "openapi://pets/pets/a%0d%0ab",
            "openapi://pets/pets?limit=1&limit=2",
            "openapi://pets/pets?other=1",
        ):
            with self.subTest(uri):
                before = len(self.service.seen)
                self.assertIn("error", self.read(uri))
                self.assertEqual(len(self.service.seen), before)
        result_of(self.read("openapi://pets/pets?limit=1%26admin%3D1"))
        self.assertEqual(self.service.last().target, "/v1/pets?limit=1%26admin%3D1")


class Credentials(TestCase):
    def document(self, scheme):
        return {
            "openapi": "3.1.0",
            "paths": {
                "/with": {"get": {"operationId": "with", "security": [{"s": []}]}},
                "/without": {"get": {"operationId": "without"}},
            },
            "components": {"securitySchemes": {"s": scheme}},
        }

    def test_every_scheme(self):
        service = self.enterContext(RawService())
        schemes = {
            "header": ({"type": "apiKey", "in": "header", "name": "X-Key"}, "k", "X-Key", "k"),
            "cookie": ({"type": "apiKey", "in": "cookie", "name": "sid"}, "k", "Cookie", "sid=k"),
            "basic": (
                {"type": "http", "scheme": "basic"},
                "user:pass",
                "Authorization",
                "Basic dXNlcjpwYXNz",
            ),
            "bearer": ({"type": "http", "scheme": "bearer"}, "t", "Authorization", "Bearer t"),
            "oauth": ({"type": "oauth2", "flows": {}}, "t", "Authorization", "Bearer t"),
            "oidc": (
                {"type": "openIdConnect", "openIdConnectUrl": "http://x"},
                "t",
                "Authorization",
                "Bearer t",
            ),
        }
        upstreams = {}
        for name, (scheme, *_) in schemes.items():
            serve_document(service, self.document(scheme), f"/{name}.json")
            upstreams[name] = upstream(
                service,
                document=f"{service.url}/{name}.json",
                credentials={"s": "${env:SECRET_" + name + "}"},
            )
        env = {f"SECRET_{name}": value for name, (_, value, *_) in schemes.items()}
        with Gateway({"upstreams": upstreams}, env=env) as gateway:
            for name, (_, _, field, wanted) in schemes.items():
                with self.subTest(name):
                    result_of(stateless_call(gateway, f"{name}__with"))
                    self.assertEqual(service.last().field(field), wanted)
                    result_of(stateless_call(gateway, f"{name}__without"))
                    self.assertIsNone(service.last().field(field))

    def test_a_document_elsewhere_gets_no_headers_of_the_service(self):
        service, other = self.enterContext(RawService()), self.enterContext(RawService())
        serve_document(other, {"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a"}}}})
        settings = upstream(other, server=f"{service.url}/base/", headers={"X-Key": "k"})
        with Gateway({"upstreams": {"api": settings}}) as gateway:
            result_of(stateless_call(gateway, "api__a"))
            self.assertEqual(service.last().path, "/base/a")
            self.assertEqual(service.last().field("X-Key"), "k")
            self.assertIsNone(other.last().field("X-Key"))

    def test_a_document_cannot_send_its_readers_elsewhere(self):
        service, evil = self.enterContext(RawService()), self.enterContext(RawService())
        paths = {"/a": {"get": {}}}
        serve_document(
            service, {"openapi": "3.1.0", "servers": [{"url": evil.url}], "paths": paths}
        )
        with Gateway({"upstreams": {"api": upstream(service)}}) as gateway:
            line = gateway.stderr.wait_for("upstream down")
            self.assertIn("set `server: ", line)
        self.assertEqual(evil.seen, [])

    def test_faults_of_the_file(self):
        bad = {
            "headers": {"X": "a\r\nY: b"},
            "server": "ftp://x",
            "credentials": {"s": "a\nb"},
            "tls": {"ca": "/nothing/here.pem"},
            "gets": "perhaps",
        }
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.yaml")
            for key, value in bad.items():
                entry = {"kind": "openapi", "document": "x.json", key: value}
                path.write_text(to_yaml({"upstreams": {"api": entry}}), encoding="utf-8")
                with self.subTest(key):
                    done = run("check", str(path))
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(key, done.stdout + done.stderr)


class Tls(TestCase):
    def test_a_service_behind_tls(self):
        service = self.enterContext(RawService())
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        cert, key = make_certificate(folder)
        proxy = TlsProxy(cert, key, service.port)
        self.addCleanup(proxy.close)
        serve_document(service, PETSTORE)
        entry = {"kind": "openapi", "document": f"https://localhost:{proxy.port}/openapi.json"}
        upstreams = {"good": {**entry, "tls": {"ca": cert}}, "bad": entry}
        with Gateway({"upstreams": upstreams}) as gateway:
            result_of(stateless_call(gateway, "good__showPet", petId="1"))
            self.assertEqual(service.last().path, "/v1/pets/1")
            ready = json.dumps(gateway.get("/ready").json())
            self.assertIn("certificate is not accepted", ready)


class Gone(TestCase):
    def test_a_service_that_is_not_there(self):
        with RawService() as service:
            serve_document(service, PETSTORE)
            gateway = self.enterContext(Gateway({"upstreams": {"pets": upstream(service)}}))
            result_of(stateless_call(gateway, "pets__showPet", petId="1"))
        error = stateless_call(gateway, "pets__showPet", petId="1")["error"]
        self.assertEqual(error["data"]["reason"], "unavailable")

    def start_call(self):
        """A gateway with a call that does not end by itself."""
        service = self.enterContext(RawService())
        serve_document(service, PETSTORE)
        waiting = threading.Event()
        self.addCleanup(waiting.set)
        service.on["GET /v1/pets/1"] = lambda request: waiting.wait() and b""
        self.config = {"stop": {"drain_timeout": "100ms"}, "upstreams": {"pets": upstream(service)}}
        gateway = self.enterContext(Gateway(self.config))
        call = Background(stateless_call, gateway, "pets__showPet", petId="1")
        wait_until(lambda: gateway.metric("patchbay_upstream_calls_in_flight") == 1)
        return gateway, call

    def test_a_gateway_that_stops_ends_its_calls(self):
        gateway, call = self.start_call()
        self.assertEqual(gateway.stop(), 0)
        self.assertIn("error", call.result())

    def test_an_upstream_that_is_replaced_ends_its_calls(self):
        gateway, call = self.start_call()
        self.config["upstreams"]["pets"]["timeout"] = "5s"
        gateway.write_config(self.config)
        self.assertEqual(call.result()["error"]["data"]["reason"], "unavailable")
        result_of(stateless_call(gateway, "pets__showPet", petId="2"))


class RoundTrip(TestCase):
    """A gateway whose upstream is another gateway's own OpenAPI document."""

    def test_a_tool_through_both(self):
        with Gateway({"upstreams": {"skills": {"kind": "builtin"}}}) as inner:
            document = f"http://127.0.0.1:{inner.port}/openapi.json"
            select = {"operations": ["POST /api/*"]}
            settings = {"kind": "openapi", "document": document, "select": select}
            with Gateway({"upstreams": {"inner": settings}}) as outer:
                tools = result_of(stateless_request(outer, "tools/list"))["tools"]
                names = [tool["name"] for tool in tools]
                name = next(name for name in names if "calculate" in name)
                result = result_of(stateless_call(outer, name, body={"expression": "2 + 3 * 4"}))
                self.assertIn("14", json.dumps(result))
                refused = stateless_call(outer, name, body={"expression": 5})
                self.assertTrue(result_of(refused)["isError"])


if __name__ == "__main__":
    main()
