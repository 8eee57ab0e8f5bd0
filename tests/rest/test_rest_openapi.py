"""The OpenAPI document: valid, accurate, in step with the catalog; and Swagger UI.

The validator, the client and the driver of the browser come from npm, the browser is Debian's. Parts
that are not available are skipped with the reason.
"""

import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    ROOT,
    Gateway,
    TestCase,
    fake_config,
    main,
    run,
    stateless_call,
    wait_until,
)
from npm_peers import PEERS, LeftOut, find_node, npm_ci
from rest_case import content_server

sys.path.append(str(ROOT / "testing"))
from content_server import RESOURCES  # noqa: E402  # pylint: disable=wrong-import-position

FOLDER = PEERS / "openapi"
OLDEST_NODE = 20
SCRIPT_S = 180


class OpenApiCase(TestCase):
    config = {"upstreams": {"skills": {"kind": "builtin", "mock_skills": True}, "con": content_server()}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(cls.config))

    def document(self):
        response = self.gateway.get("/openapi.json")
        self.assertEqual((response.status, response.content_type), (200, "application/json"))
        return json.loads(response.body)


class Document(OpenApiCase):
    def test_it_is_the_same_everywhere(self):
        document = self.document()
        self.assertEqual(json.loads(self.gateway.get("/v3/api-docs").body), document)
        printed = run("openapi", "-c", str(self.gateway.config_path), "--log-level", "off")
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        self.assertEqual(json.loads(printed.stdout), document)

    def test_every_tool_and_resource_is_there(self):
        paths = self.document()["paths"]
        tools = json.loads(self.gateway.get("/mcp/v1/tools").body)["tools"]
        for tool in tools:
            name = tool["name"].replace("/", "%2F").replace(" ", "%20")
            name = name.replace("ü", "%C3%BC").replace("ï", "%C3%AF").replace("ç", "%C3%A7")
            self.assertIn("post", paths[f"/api/{name}"])
        self.assertIn("get", paths["/rcs/test%3A%2F%2Ftext"])
        self.assertIn("head", paths["/rcs/test%3A%2F%2Ftext"])
        self.assertEqual(
            paths["/rcs/test%3A%2F%2Fitem%2F{id}"]["get"]["parameters"][0]["name"], "id"
        )

    def test_schemas_are_those_of_the_tool(self):
        document = self.document()
        operation = document["paths"]["/api/con.add"]["post"]
        self.assertEqual(operation["summary"], "Adds")
        self.assertEqual(operation["description"], "Adds two numbers.")
        schemas = document["components"]["schemas"]
        arguments = schemas["con__add.arguments"]
        self.assertEqual(arguments["examples"], [{"a": 1, "b": 2}])
        reference = "#/components/schemas/con__add.arguments/$defs/number"
        self.assertEqual(arguments["properties"]["a"], {"$ref": reference})
        self.assertEqual(schemas["con__add.result"]["required"], ["sum"])

    def test_it_has_an_entity_tag(self):
        for path in ("/openapi.json", "/openapi.yaml"):
            first = self.gateway.get(path)
            tag = first.header("etag")
            again = self.gateway.get(path, {"If-None-Match": tag})
            self.assertEqual((again.status, again.body), (304, b""))

    def test_it_changes_with_the_catalog(self):
        with Gateway(fake_config()) as gateway:
            before = gateway.get("/openapi.json")
            self.assertNotIn("/api/fake.newcomer", json.loads(before.body)["paths"])
            stateless_call(gateway, "fake__list_changed", name="newcomer")

            def there():
                return "/api/fake.newcomer" in json.loads(gateway.get("/openapi.json").body)["paths"]

            wait_until(there)
            self.assertNotEqual(gateway.get("/openapi.json").header("etag"), before.header("etag"))

    def test_a_wrong_configuration_prints_no_document(self):
        done = run("openapi", "-c", "/nonexistent.yaml")
        self.assertEqual((done.returncode, done.stdout), (3, ""))


def calls():
    """By operationId, what the client sends and which status it must get."""
    tool, nobody = {"name": "con.add"}, {"name": "x"}
    link = {"name": "con.add", "state": "made-up"}
    made = {
        "list_tools": [{}, {"parameters": {"format": "map", "server": "con", "q": "add"}}],
        "show_tool": [{"parameters": tool}, {"parameters": nobody, "status": 404}],
        "call_tool": [
            {"parameters": tool, "body": {"a": 1, "b": 2}},
            {"parameters": {"name": "con.ask"}, "body": {}, "status": 202},
            {"parameters": {"name": "con.with/slash"}, "body": {}},
            {"parameters": nobody, "body": {}, "status": 404},
        ],
        "answer_call": [{"parameters": link, "body": {}, "status": 409}],
        "answer_question": [{"parameters": link, "body": {}, "status": 409}],
        "list_resources": [{}, {"parameters": {"format": "map"}}],
        "read_resource": [
            {"parameters": {"name": "test://text"}},
            {"parameters": nobody, "status": 404},
        ],
        "health": [{}],
        "list_agents": [{}, {"parameters": {"server": "con", "q": "add"}}],
        "skills__calculate": [
            {"body": {"expression": "1+1"}},
            {"body": {"expression": "1+"}, "status": 422},
            {"body": {"expression": 7}, "status": 400},
        ],
        "skills__summarize": [{"body": {"text": "One. Two."}}],
        "skills__mock_search": [{"body": {"query": "x"}}],
        "skills__weather": [{"body": {"place": "Oslo"}}],
        "skills__echo": [{"body": {"text": "x"}}],
        "skills__time": [{"body": {}}],
        "con__add": [
            {"body": {"a": 1, "b": 2.5}},
            {"body": {"a": 1, "b": 2}, "accept": "text/event-stream"},
            {"body": {"a": "1", "b": 2}, "status": 400},
        ],
        "con__odd": [{"body": {}, "status": 502}],
        "con__ask": [{"body": {}, "status": 202}],
        "con__fail": [{"body": {}, "status": 422}],
        "con__refuse": [{"body": {}, "status": 502}],
        "con__stuck": [{"body": {}, "status": 504}],
        "read_test___item__id_": [{"parameters": {"id": "a/b ?c"}, "accept": "text/plain"}],
        "look_at_test___item__id_": [{"parameters": {"id": "7"}}],
    }
    for name in ("move", "loose", "slow", "seen", "with/slash", "ünï çode"):
        made[identifier(f"con__{name}")] = [{"body": {}}]
    statuses = {"test://null": 204, "test://broken": 502}
    for uri in ["test://many", *RESOURCES]:
        call = {"status": statuses.get(uri, 200), "accept": "*/*"}
        whole = {"status": statuses.get(uri, 200) if uri == "test://broken" else 200}
        made[identifier(f"read_{uri}")] = [call] if uri == "test://many" else [call, whole]
        made[identifier(f"look_at_{uri}")] = [call]
    return made


def identifier(text):
    return re.sub(rb"[^A-Za-z0-9_-]", b"_", text.encode()).decode()


class Peers(OpenApiCase):
    """The document in the hands of others."""

    config = {
        "upstreams": {
            "skills": {"kind": "builtin", "mock_skills": True},
            "con": {**content_server(), "timeout": "2s"},
        },
        "validation": {"results": "enforce"},
    }

    @classmethod
    def setUpClass(cls):
        try:
            cls.node = find_node(OLDEST_NODE)
            npm_ci(FOLDER)
        except LeftOut as reason:
            print(f"the validator and client of OpenAPI from npm were left out: {reason}", flush=True)
            raise unittest.SkipTest(str(reason)) from None
        super().setUpClass()
        cls.base = cls.gateway.url.removesuffix("/mcp")

    def run_script(self, name, *arguments):
        done = subprocess.run(
            [self.node, str(FOLDER / name), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SCRIPT_S,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        return done.stdout

    def test_it_is_valid_in_both_notations(self):
        files = []
        for name in ("openapi.json", "openapi.yaml"):
            files.append(Path(self.gateway.folder.name, name))
            files[-1].write_bytes(self.gateway.get(f"/{name}").body)
        reply = self.run_script("validate.mjs", *map(str, files))
        self.assertEqual(reply.count("valid"), 2)

    def test_a_client_that_only_knows_the_document_can_call_everything(self):
        reply = self.run_script("exercise.mjs", self.base, json.dumps(calls()))
        self.assertRegex(reply, r"^\d+ calls")

    def test_swagger_ui_in_a_browser_without_network(self):
        if "Swagger UI is not in this build" in self.gateway.get("/swagger-ui/index.html").body.decode():
            print("Swagger UI in a browser was left out: it is not in this build", flush=True)
            self.skipTest("no Swagger UI in this build")
        chromium = shutil.which("chromium")
        if not chromium:
            print("Swagger UI in a browser was left out: there is no chromium", flush=True)
            self.skipTest("there is no chromium")
        screenshot = Path(BINARY).parent / "swagger-ui.png"
        screenshot.unlink(missing_ok=True)
        self.run_script("swagger_ui.mjs", self.base, chromium, str(screenshot))
        self.assertGreater(screenshot.stat().st_size, 10_000)


class SwaggerUi(OpenApiCase):
    def test_the_page_exists_and_can_only_reach_the_gateway(self):
        page = self.gateway.get("/swagger-ui/index.html")
        self.assertEqual((page.status, page.content_type), (200, "text/html"))
        policy = page.header("content-security-policy")
        for part in ("default-src 'none'", "script-src 'self'", "connect-src 'self'"):
            self.assertIn(part, policy)
        self.assertEqual(page.header("x-content-type-options"), "nosniff")
        self.assertNotIn(b"http://", page.body)
        self.assertNotIn(b"https://", page.body)

    def test_its_folder_leads_to_it(self):
        for path in ("/swagger-ui", "/swagger-ui/"):
            response = self.gateway.get(path)
            self.assertEqual(response.status, 302)
            self.assertEqual(response.header("location"), "/swagger-ui/index.html")

    def test_files_are_sent_once(self):
        page = self.gateway.get("/swagger-ui/index.html").body.decode()
        if "not in this build" in page:
            print("the files of Swagger UI were left out: they are not in this build", flush=True)
            self.skipTest("no Swagger UI in this build")
        for name in re.findall(r'(?:src|href)="([^"]+)"', page) + ["LICENSE"]:
            first = self.gateway.get(f"/swagger-ui/{name}")
            self.assertEqual(first.status, 200, name)
            again = self.gateway.get(f"/swagger-ui/{name}", {"If-None-Match": first.header("etag")})
            self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(self.gateway.get("/swagger-ui/nope.js").status, 404)


if __name__ == "__main__":
    main()
