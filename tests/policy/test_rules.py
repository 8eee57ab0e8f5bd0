"""Rules: which callers see and may use what, on every frontend."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    fake,
    main,
    result_of,
    stateless_call,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    to_yaml,
    wait_until,
)
from items_upstream import items
from sse_client import SseClient

UPSTREAMS = {
    "skills": {"kind": "builtin", "mock_skills": True},
    "one": items("one"),
    "two": items("two"),
    "fake": fake(),
}
RULES = [
    {
        "role": "local",
        "allow": ["skills.calculate", "two__*", "fake.echo"],
        "deny": ["*.die"],
        "resources": {"allow": ["two+test://?", "two+test://item/1*"], "deny": ["*://c"]},
        "prompts": ["two.greet"],
    }
]
TOOLS = {"skills__calculate", "fake__echo"} | {
    f"two__{name}" for name in ("grow", "ask", "pester", "log", "wait", "touch")
}


def config(rules, **settings):
    return {"workers": 2, "upstreams": UPSTREAMS, "rules": rules, **settings}


class RulesCase(TestCase):
    rules = RULES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(config(cls.rules)))

    def session(self, **settings):
        return self.enterContext(McpSession(self.gateway, **settings))

    def send(self, method, path, body=None):
        with self.gateway.connect() as connection:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            return connection.request(method, path, headers, body)

    def get(self, path):
        response = self.send("GET", path)
        return response.status, json.loads(response.body)


class Lists(RulesCase):
    def test_sessions(self):
        for version in ("2025-03-26", "2025-11-25"):
            self.assertEqual(set(self.session(version=version).tool_names()), TOOLS)

    def test_stateless_clients(self):
        tools = result_of(stateless_request(self.gateway, "tools/list"))["tools"]
        self.assertEqual({tool["name"] for tool in tools}, TOOLS)

    def test_sse(self):
        with SseClient(self.gateway) as client:
            client.initialize()
            tools = result_of(client.request("tools/list"))["tools"]
        self.assertEqual({tool["name"] for tool in tools}, TOOLS)

    def test_stdio(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "patchbay.yaml")
            path.write_text(to_yaml(config(RULES)), encoding="utf-8")
            with StdioFrontend([BINARY, "stdio", "-c", str(path)], cwd=folder) as frontend:
                params = {"protocolVersion": "2025-11-25", "capabilities": {}}
                params["clientInfo"] = {"name": "t", "version": "1"}
                frontend.request({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
                tools = frontend.request({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        self.assertEqual({tool["name"] for tool in result_of(tools)["tools"]}, TOOLS)

    def test_rest(self):
        status, body = self.get("/mcp/v1/tools")
        self.assertEqual(status, 200)
        dotted = {name.replace("__", ".", 1) for name in TOOLS}
        self.assertEqual({tool["name"] for tool in body["tools"]}, dotted)
        self.assertEqual(self.get("/mcp/v1/tools/skills.time")[0], 404)
        self.assertEqual(self.get("/mcp/v1/tools/skills.calculate")[0], 200)
        everything = json.dumps(self.get("/agents")[1])
        self.assertIn("skills.calculate", everything)
        for hidden in ("skills.time", "one.", "two.die", "one://own", "test://c"):
            self.assertNotIn(hidden, everything)
        names = {line["name"] for line in self.get("/mcp/v1/health")[1]["states"]}
        self.assertEqual(names, {"skills", "two", "fake"})

    def test_openapi(self):
        paths = self.get("/openapi.json")[1]["paths"]
        self.assertTrue(any("skills.calculate" in path for path in paths), list(paths))
        for hidden in ("skills.time", "one.", "two.die", "fake.sleep"):
            self.assertFalse([path for path in paths if hidden in path], hidden)

    def test_goals(self):
        _, body = self.get("/api/agent/skills")
        self.assertEqual(body["skills"], ["CalculatorSkill"])
        for goal in ("what time is it", "skills.time", "time"):
            answer = json.loads(self.send("POST", "/api/agent/execute", {"goal": goal}).body)
            unknown = json.loads(self.send("POST", "/api/agent/execute", {"goal": "xyzzy"}).body)
            reply = answer["finalOutput"].replace(goal, "xyzzy")
            self.assertEqual(reply, unknown["finalOutput"])
        answer = json.loads(self.send("POST", "/api/agent/execute", {"goal": "calculate 2+3"}).body)
        self.assertIn("5", answer["finalOutput"])

    def test_prompts_and_resources(self):
        session = self.session()
        prompts = result_of(session.request("prompts/list"))["prompts"]
        self.assertEqual([prompt["name"] for prompt in prompts], ["two__greet"])
        resources = result_of(session.request("resources/list"))["resources"]
        # With `one` hidden, the items of `two` need no prefix.
        self.assertEqual([one["uri"] for one in resources], ["test://a", "test://b"])
        templates = result_of(session.request("resources/templates/list"))["resourceTemplates"]
        self.assertTrue(templates)


class Unknown(RulesCase):
    """A forbidden item and a missing one are answered alike."""

    def same(self, ask, hidden, absent):
        one, other = ask(hidden), ask(absent)
        swap = json.loads(json.dumps(one).replace(hidden, absent))
        self.assertEqual(swap, other)
        self.assertIn("error", other)

    def test_tools(self):
        session = self.session()
        for hidden in ("skills__time", "skills.time", "one__grow", "two__die", "two_die", "die"):
            self.same(lambda name: {**session.call(name), "id": 0}, hidden, "no__such")
            self.same(lambda name: stateless_call(self.gateway, name), hidden, "no__such")

    def test_a_hidden_tool_takes_no_name(self):
        # `grow` is in both, but only one of them is there.
        self.assertEqual(text_of(self.session().call("log")), '"logged"')

    def test_prompts(self):
        session = self.session()

        def ask(name):
            return {**session.request("prompts/get", {"name": name}), "id": 0}

        for hidden in ("two__scold", "one__greet", "scold"):
            self.same(ask, hidden, "no__such")
        self.assertIn("two greet", json.dumps(session.request("prompts/get", {"name": "greet"})))

    def test_resources(self):
        session = self.session()

        def request_of(method):
            return lambda uri: {**session.request(method, {"uri": uri}), "id": 0}

        for method in ("resources/read", "resources/subscribe"):
            for hidden in (
                "test://c",
                "one://own",
                "two+test://c",
                "two://own",
                "test://item/7",
                "test://item/1/../7",
            ):
                self.same(request_of(method), hidden, "no://such")
        for listed in ("test://a", "test://item/17"):
            text = result_of(request_of("resources/read")(listed))["contents"][0]["text"]
            self.assertEqual(text, f"two has {listed}")

    def test_what_is_denied_is_denied_in_every_spelling(self):
        rules = [{"role": "local", "resources": {"allow": ["*"], "deny": ["test://item/7*"]}}]
        with Gateway(config(rules)) as gateway, McpSession(gateway) as session:

            def read(uri):
                return session.request("resources/read", {"uri": uri})

            self.assertIn("result", read("test://item/8"))
            for uri in ("test://item/7", "test://item/./7", "test://item//7", "test://item/x/../7",
                        "test://item/%37", "test://item/.%2F7", "test://item/%2e/%37%"):
                self.assertIn("error", read(uri), uri)

    def test_completion(self):
        session = self.session()

        def complete(kind, key):
            def ask(name):
                ref = {"type": f"ref/{kind}", key: name}
                params = {"ref": ref, "argument": {"name": "who", "value": "x"}}
                return {**session.request("completion/complete", params), "id": 0}

            return ask

        self.same(complete("prompt", "name"), "two__scold", "no__such")
        self.same(complete("resource", "uri"), "test://c", "no://such")
        self.assertIn("result", complete("prompt", "name")("two__greet"))

    def test_rest(self):
        def call(name):
            response = self.send("POST", f"/api/{name}", {})
            return {"error": response.status, "body": response.body.decode()}

        self.same(call, "skills.time", "no.such")
        self.same(call, "two.die", "no.such")

        def read(uri):
            response = self.send("GET", f"/rcs/{uri}")
            return {"error": response.status, "body": response.body.decode()}

        self.same(read, "one.own", "no.such")


class Conditions(RulesCase):
    rules = [
        {
            "role": "any",
            "allow": ["fake.echo"],
            "when": [{"pointer": "/text", "matches": "^[a-z]*$"}],
        },
        {"role": "any", "allow": ["skills.*"], "methods": ["tools/*"]},
    ]

    def test_arguments_decide(self):
        session = self.session()
        self.assertEqual(text_of(session.call("fake__echo", text="fine")), "fine")
        refused = result_of(session.call("fake__echo", text="NOT FINE"))
        self.assertTrue(refused["isError"])
        self.assertIn("/text", refused["content"][0]["text"])
        self.assertNotIn("NOT FINE", refused["content"][0]["text"])
        stateless = result_of(stateless_call(self.gateway, "fake.echo", text="NO"))
        self.assertTrue(stateless["isError"])
        rest = self.send("POST", "/api/fake.echo", {"text": "NO"})
        self.assertGreaterEqual(rest.status, 400)
        self.assertIn(b"not allowed", rest.body)
        self.assertEqual(self.gateway.metric("patchbay_calls_total", outcome="forbidden"), 3)

    def test_the_tool_is_listed(self):
        self.assertIn("fake__echo", self.session().tool_names())

    def test_a_call_with_two_readings_is_refused(self):
        body = (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fake__echo",'
            b'"arguments":{"text":"fine","text":"NO"}}}'
        )
        session = self.session()
        self.assertNotIn(b"NO\"}]", session.post(body).read())


class Methods(RulesCase):
    rules = [{"role": "any", "allow": ["skills.*"], "methods": ["tools/*"]}]

    def test_others_are_unknown(self):
        session = self.session()
        for method in ("resources/list", "prompts/list", "logging/setLevel"):
            answer = {**session.request(method, {"level": "info"}), "id": 0}
            unknown = {**session.request("no/such"), "id": 0}
            self.assertEqual(json.dumps(answer).replace(method, "no/such"), json.dumps(unknown))
        self.assertIn("result", session.request("ping"))
        self.assertIn("skills__time", session.tool_names())
        self.assert_error(stateless_request(self.gateway, "subscriptions/listen"), -32601)


class Reload(TestCase):
    def test_rules_change_while_clients_listen(self):
        everything = [{"role": "local", "allow": ["*"], "resources": ["*"], "prompts": ["*"]}]
        with Gateway(config(everything)) as gateway, McpSession(gateway) as session:
            stream = session.open_stream()
            self.addCleanup(stream.connection.close)
            self.assertIn("skills__time", session.tool_names())
            session.request("resources/subscribe", {"uri": "test://a"})
            gateway.write_config(config(RULES))
            notified = set()
            for event in stream.events():
                if event.data:
                    notified.add(json.loads(event.data)["method"])
                if len(notified) == 3:
                    break
            self.assertIn("notifications/tools/list_changed", notified)
            self.assertEqual(set(session.tool_names()), TOOLS)
            # It can unsubscribe from a resource that it can no longer see.
            left = session.request("resources/unsubscribe", {"uri": "test://a"})
            self.assertEqual(result_of(left), {})
            self.assert_error(session.call("skills__time"), -32602)
            gateway.write_config(config([]))
            wait_until(lambda: session.tool_names() == [], "nothing to be allowed")

    def test_callers_that_see_no_change_are_not_notified(self):
        rules = [{"role": "any", "allow": ["skills.*"]}]
        weaker = {"reload": {"allow_weaker": True}}
        with Gateway(config(rules, **weaker)) as gateway, McpSession(gateway) as session:
            stream = session.open_stream()
            self.addCleanup(stream.connection.close)
            gateway.write_config(config([{"role": "any", "allow": ["skills.*", "nobody.*"]}]))
            gateway.stderr.wait_for("reloaded")
            gateway.write_config(config([{"role": "any", "allow": ["skills.time"]}]))
            notified = []
            for event in stream.events():
                if event.data:
                    notified.append(json.loads(event.data)["method"])
                    break
            self.assertEqual(notified, ["notifications/tools/list_changed"])
            self.assertEqual(session.tool_names(), ["skills__time"])

    def test_a_bad_rule_changes_nothing(self):
        with Gateway(config(RULES)) as gateway, McpSession(gateway) as session:
            gateway.write_config(config([{"role": "local", "deny": ["delete"]}]))
            gateway.stderr.wait_for("reload refused")
            self.assertEqual(set(session.tool_names()), TOOLS)


class Roles(TestCase):
    """Two callers of one gateway, identified by their tokens."""

    RULES = [
        {"role": "reader", "allow": ["skills.calculate"], "resources": ["two+test://a"]},
        {"role": "writer", "scopes": ["mcp:write"], "allow": ["skills.*"], "deny": ["*.echo"]},
        {"role": "any", "allow": ["skills.weather"]},
        {"role": "local", "allow": ["*"]},
    ]
    TOKENS = [
        {"name": "r", "token": "token-of-the-reader", "roles": ["reader"]},
        {"name": "w", "token": "token-of-the-writer", "scopes": ["mcp:write"]},
        {"name": "b", "token": "token-of-both-roles", "roles": ["reader", "writer"]},
        {"name": "n", "token": "token-of-a-nobody", "roles": ["local", "unheard-of"]},
    ]
    SKILLS = {"calculate", "echo", "mock_search", "summarize", "time", "weather"}
    SEES = {
        "token-of-the-reader": {"calculate", "weather"},
        "token-of-the-writer": SKILLS - {"echo"},
        "token-of-both-roles": SKILLS - {"echo"},
        "token-of-a-nobody": {"weather"},
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(
            Gateway(config(cls.RULES, auth={"tokens": cls.TOKENS}))
        )

    def send(self, token, method, path, body=None, headers=None):
        fields = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with self.gateway.connect() as connection:
            return connection.request(method, path, {**fields, **(headers or {})}, body)

    def ask(self, token, method, params=None):
        message = stateless_message(method, params)
        response = self.send(token, "POST", "/mcp", message, stateless_headers(message))
        return json.loads(response.body)

    def test_each_sees_its_own(self):
        for token, skills in self.SEES.items():
            with self.subTest(token):
                tools = result_of(self.ask(token, "tools/list"))["tools"]
                self.assertEqual({tool["name"] for tool in tools}, {f"skills__{s}" for s in skills})
                listed = json.loads(self.send(token, "GET", "/mcp/v1/tools").body)["tools"]
                self.assertEqual({tool["name"] for tool in listed}, {f"skills.{s}" for s in skills})
                paths = json.loads(self.send(token, "GET", "/openapi.json").body)["paths"]
                for skill in self.SKILLS:
                    visible = any(f"skills.{skill}" in path for path in paths)
                    self.assertEqual(visible, skill in skills, skill)
                for skill in self.SKILLS:
                    answer = self.ask(token, "tools/call", {"name": skill, "arguments": {}})
                    unknown = f"unknown tool: {skill}" in json.dumps(answer)
                    self.assertEqual(unknown, skill not in skills, skill)

    def test_resources_are_the_readers(self):
        read = {"uri": "test://a"}
        self.assertIn("result", self.ask("token-of-the-reader", "resources/read", read))
        self.assertIn("error", self.ask("token-of-the-writer", "resources/read", read))

    def test_documents_are_shared_between_callers_that_see_the_same(self):
        one = self.send("token-of-the-writer", "GET", "/openapi.json")
        tags = {one.header("etag")}
        tags.add(self.send("token-of-the-reader", "GET", "/openapi.json").header("etag"))
        self.assertEqual(len(tags), 2)


class Record(TestCase):
    def test_reports_which_rule_decided(self):
        rules = [
            {"role": "reader", "allow": ["*"]},
            {"role": "local", "allow": ["skills.calculate"]},
            {"role": "any", "allow": ["fake.echo"], "when": [{"pointer": "/text", "equals": "x"}]},
        ]
        with Gateway(config(rules, audit={"file": "audit.jsonl"})) as gateway:
            with McpSession(gateway) as session:
                for tool in ("skills.calculate", "skills.time", "no.such"):
                    session.call(tool, expression="1")
                session.call("fake.echo", text="x")
                session.call("fake.echo", text="y")
            path = pathlib.Path(gateway.folder.name, "audit.jsonl")

            def read():
                return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

            wait_until(lambda: len(read()) == 5, "the records")
            found = [json.loads(line) for line in read()]
        self.assertEqual(
            [(one["decision"], one.get("rule")) for one in found],
            [
                ("allow", "rules[1] local"),
                ("deny", "hidden"),
                ("allow", None),
                ("allow", "rules[2] any"),
                ("deny", "rules[2] any"),
            ],
        )


if __name__ == "__main__":
    main()
