"""What admins change while the gateway runs: upstreams that are drained or disabled, tools that are
off, and changed definitions of tools. It holds for every frontend and survives a restart."""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from control_case import ADMIN, ANN, BOB, RULES, TOKENS, ControlCase, page
from harness import Gateway, McpSession, alive, fake, fake_config, main, text_of, wait_until
from oauth_case import OauthCase
from stub_server import StubServer
from wire_case import WireGateway
from wire_client import rpc

UNAVAILABLE = -32000


class RunTimeCase(ControlCase):
    """A gateway over two programs, with a state folder, an audit file and callers."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.state = os.path.join(self.folder, "state")
        self.audit = pathlib.Path(self.folder, "audit.jsonl")

    def config(self, **more):
        upstreams = {"fake": fake(), "other": fake()}
        settings = {"auth": {"tokens": TOKENS}, "rules": RULES, "audit": {"file": str(self.audit)}}
        return fake_config(upstreams, state=self.state, **settings, **more)

    def start(self, **more):
        return self.enterContext(Gateway(self.config(**more)))

    def post(self, gateway, path, token=ADMIN, status=None):
        with gateway.connect() as connection:
            response = connection.request("POST", f"/control/v1/{path}", bearer(token), b"")
        if status:
            self.assertEqual(response.status, status, response.body)
        return response

    def upstream(self, gateway, name, token=ADMIN):
        return self.ask(gateway, f"upstreams/{name}", token)

    def tools(self, gateway, upstream="fake", token=ANN):
        with McpSession(gateway, headers=bearer(token)) as session:
            return [name for name in session.tool_names() if name.startswith(upstream)]

    def refused(self, gateway, tool="fake__echo", token=ANN):
        """The text of the error that a call gets."""
        with McpSession(gateway, headers=bearer(token)) as session:
            answer = session.call(tool, text="x")
        self.assert_error(answer, UNAVAILABLE)
        return answer["error"]["message"]

    def records(self, event):
        lines = self.audit.read_text(encoding="utf-8").splitlines() if self.audit.exists() else []
        found = [one for one in map(json.loads, lines) if one.get("event") == event]
        return [(one["method"], one["target"], one["name"], one["outcome"]) for one in found]


class Upstreams(RunTimeCase):
    def test_a_drained_one_finishes_its_calls_and_accepts_no_new_ones(self):
        gateway = self.start()
        with McpSession(gateway, headers=bearer(ANN)) as session:
            release = os.path.join(self.folder, "release")
            running = session.call_later("fake__until", file=release)
            wait_until(lambda: self.upstream(gateway, "fake")["in_flight"] == 1, "the call")
            answer = self.post(gateway, "upstreams/fake/drain", status=202).json()
            self.assertEqual(answer, {"upstream": "fake", "mode": "drained"})
            wait_until(lambda: not self.tools(gateway), "its tools to leave the lists")
            self.assertIn("'fake' is drained", self.refused(gateway))
            self.assertTrue(self.tools(gateway, "other"))
            found = self.upstream(gateway, "fake")
            self.assertEqual((found["mode"], found["state"], found["tools"]), ("drained", "up", 0))
            self.assertEqual(found["override"]["by"], "root")
            self.assertEqual(found["in_flight"], 1)
            pathlib.Path(release).touch()
            self.assertEqual(text_of(running.result()), "there")
        self.post(gateway, "upstreams/fake/enable", status=202)
        wait_until(lambda: self.tools(gateway), "its tools to be back")
        call_as(gateway, "fake__echo", bearer(ANN), text="x")
        found = self.upstream(gateway, "fake")
        self.assertEqual(found["mode"], "enabled")
        self.assertNotIn("override", found)

    def test_a_disabled_one_has_no_programs(self):
        gateway = self.start()
        pid = json.loads(text_of(call_as(gateway, "fake__whoami", bearer(ANN))))["pid"]
        before = self.upstream(gateway, "fake")["instance_list"]
        self.assertEqual((before[0]["state"], before[0]["shared"]), ("up", True))
        self.post(gateway, "upstreams/fake/disable", status=202)
        wait_until(lambda: not alive(pid), "the program to end")
        found = self.upstream(gateway, "fake")
        self.assertEqual((found["mode"], found["state"]), ("disabled", "down"))
        self.assertEqual(found["instance_list"], [])
        self.assertIn("disabled", self.refused(gateway))
        self.assertEqual(self.post(gateway, "upstreams/fake/restart").status, 400)
        self.post(gateway, "upstreams/fake/enable", status=202)
        wait_until(lambda: self.tools(gateway), "its tools to be back")
        after = self.upstream(gateway, "fake")["instance_list"]
        self.assertGreater(after[0]["since"], before[0]["since"])

    def test_it_outlives_the_gateway_and_a_reload(self):
        with Gateway(self.config()) as gateway:
            self.post(gateway, "upstreams/fake/disable", status=202)
            self.post(gateway, "upstreams/other/drain", status=202)
        gateway = self.start()
        self.assertEqual(self.upstream(gateway, "fake")["mode"], "disabled")
        self.assertEqual(self.upstream(gateway, "other")["mode"], "drained")
        self.assertEqual(self.tools(gateway, ""), [])
        gateway.write_config(self.config(limits={"max_calls": 50}))
        gateway.stderr.wait_for("reloaded")
        self.assertEqual(self.upstream(gateway, "fake")["instance_list"], [])
        self.post(gateway, "upstreams/fake/enable", status=202)
        wait_until(lambda: self.tools(gateway), "its tools to be there")

    def test_only_admins_change_it_and_each_change_is_recorded(self):
        gateway = self.start()
        for action in ("drain", "disable", "enable"):
            self.assertEqual(self.post(gateway, f"upstreams/fake/{action}", ANN).status, 403)
        self.assertEqual(self.post(gateway, "upstreams/nothing/drain").status, 404)
        self.post(gateway, "upstreams/fake/drain", status=202)
        self.assertNotIn("by", self.upstream(gateway, "fake", ANN)["override"])
        self.assertNotIn("root", json.dumps(self.ask(gateway, "upstreams", ANN)))
        expected = [("drain", "nothing", "root", "not_found"), ("drain", "fake", "root", "ok")]
        wait_until(lambda: self.records("upstream") == expected, "the records")


class Tools(RunTimeCase):
    def off(self, gateway, tool="echo", **more):
        return self.post(gateway, f"tools/fake/{tool}/off", **more)

    def test_one_that_is_off_is_absent_and_refused_everywhere(self):
        gateway = self.start()
        self.off(gateway, status=200)
        wait_until(lambda: "fake__echo" not in self.tools(gateway), "it to leave the lists")
        for name in ("fake__echo", "fake.echo", "fake_echo"):
            self.assertIn("'echo' of 'fake' is switched off", self.refused(gateway, name))
        self.assertTrue(self.tools(gateway, "other__echo"))
        with gateway.connect() as connection:
            fields = {**bearer(ANN), "Content-Type": "application/json"}
            listed = connection.request("GET", "/mcp/v1/tools", bearer(ANN)).body
            called = connection.request("POST", "/mcp/v1/tools/fake.echo", fields, {"text": "x"})
            document = connection.request("GET", "/openapi.json", bearer(ANN)).body
        for answer in (listed, document):
            self.assertIn(b'other.echo"', answer)
            self.assertNotIn(b'fake.echo"', answer)
        self.assertIn(b"switched off", called.body)
        self.assertEqual(called.status, 503)

    def test_their_number_is_bounded(self):
        gateway = self.start(limits={"max_tools_off": 1})
        self.off(gateway, status=200)
        refused = self.off(gateway, "whoami", status=503)
        self.assertIn("limits.max_tools_off", refused.json()["error"])
        gateway.write_config(self.config(limits={"max_tools_off": 2}))
        gateway.stderr.wait_for("reloaded")
        self.off(gateway, "whoami", status=200)

    def test_a_client_is_told(self):
        gateway = self.start()
        with McpSession(gateway, headers=bearer(ANN)) as session:
            stream = session.open_stream()
            self.addCleanup(stream.connection.close)
            events = stream.events()
            self.off(gateway, status=200)
            event = next(one for one in events if one.data)
            self.assertEqual(json.loads(event.data)["method"], "notifications/tools/list_changed")
            self.assertNotIn("fake__echo", session.tool_names())

    def test_its_name_belongs_to_no_other_tool_meanwhile(self):
        gateway = self.start(names={"prefix": "conflict"})
        self.assertIn("fake__echo", self.tools(gateway))
        self.off(gateway, status=200)
        wait_until(lambda: "fake__echo" not in self.tools(gateway), "it to leave the lists")
        self.assertIn("other__echo", self.tools(gateway, "other"))
        with McpSession(gateway, headers=bearer(ANN)) as session:
            answer = session.call("echo", text="x")
        self.assertIn("ambiguous", json.dumps(answer))

    def test_it_outlives_the_gateway_and_can_be_taken_back(self):
        with Gateway(self.config()) as gateway:
            self.off(gateway, status=200)
        gateway = self.start()
        (found,) = self.ask(gateway, "tools-off", ADMIN)["tools"]
        self.assertEqual((found["upstream"], found["tool"], found["by"]), ("fake", "echo", "root"))
        self.assertNotIn("fake__echo", self.tools(gateway))
        self.post(gateway, "tools/fake/echo/on", status=200)
        wait_until(lambda: "fake__echo" in self.tools(gateway), "it to be listed")
        self.assertEqual(self.ask(gateway, "tools-off", ADMIN)["tools"], [])

    def test_only_admins_switch_and_each_switch_is_recorded(self):
        gateway = self.start()
        for path in ("tools/fake/echo/off", "tools/fake/echo/on", "pins/fake/echo/accept?digest=x"):
            for token in (ANN, BOB):
                self.assertEqual(self.post(gateway, path, token).status, 403)
        for path in ("tools-off", "pins"):
            self.assertEqual(page(gateway, path, ANN).status, 403)
        self.assertEqual(self.off(gateway, "nothing").status, 404)
        self.assertEqual(self.post(gateway, "tools/fake/echo/on").status, 404)
        self.assertEqual(self.post(gateway, "tools/fake/echo/sideways").status, 404)
        self.off(gateway, status=200)
        shown = self.ask(gateway, "catalog?kind=tool&upstream=fake&search=echo&limit=500", ADMIN)["items"]
        (item,) = [one for one in shown if one["name"] == "fake__echo"]
        self.assertFalse(item["listed"])
        self.assertIn("switched off", item["off"])
        seen = self.ask(gateway, "catalog?kind=tool&limit=500", ANN)["items"]
        self.assertNotIn("fake__echo", [one["name"] for one in seen])
        expected = ("off", "fake.echo", "root", "ok")
        wait_until(lambda: expected in self.records("tool"), "the record")

    def test_the_wire_protocol_knows_it_too(self):
        gateway = self.enterContext(WireGateway(fake_config()))
        with gateway.connect() as connection:
            self.assertEqual(connection.request("POST", "/control/v1/tools/fake/echo/off", {}, b"").status, 200)
        with gateway.client() as client:
            answer = client.request(rpc("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}}))
            self.assertIn("switched off", json.dumps(answer))
            listed = json.dumps(client.request(rpc("tools/list", {})))
        self.assertIn('"fake__add"', listed)
        self.assertNotIn('"fake__echo"', listed)


class Definitions(RunTimeCase):
    def test_a_changed_one_is_accepted_as_it_was_seen(self):
        stub = self.enterContext(StubServer())
        good = {"name": "pay", "description": "Pays a bill.", "inputSchema": {"type": "object"}}

        def offer(text):
            stub.on["tools/list"] = lambda exchange: exchange.result({"tools": [{**good, "description": text}]})

        offer(good["description"])
        upstreams = {"bank": stub.upstream(health={"interval": "50ms"})}
        config = {**self.config(pins="block"), "upstreams": upstreams}
        gateway = self.enterContext(Gateway(config))
        wait_until(lambda: self.tools(gateway, "bank"), "the tool")
        self.assertEqual(self.ask(gateway, "pins", ADMIN), {"changed": [], "count": 0})

        def come_back_with(text):
            stub.stop()
            stub.sessions.clear()
            offer(text)
            stub.start()
            known = lambda: [one["current"]["description"] for one in self.ask(gateway, "pins", ADMIN)["changed"]]
            wait_until(lambda: known() == [text], "the change")
            return self.ask(gateway, "pins", ADMIN)["changed"][0]

        seen = come_back_with("Pays and tells.")
        self.assertEqual((seen["upstream"], seen["tool"], seen["left_out"]), ("bank", "pay", True))
        self.assertEqual(seen["accepted"]["description"], "Pays a bill.")
        self.assertEqual(self.tools(gateway, "bank"), [])
        hidden = self.ask(gateway, "catalog/hidden", ADMIN)["items"]
        self.assertEqual([(one["name"], one["reason"]) for one in hidden], [("pay", "pinned")])
        self.assertIn("pins is block", hidden[0]["why"])
        latest = come_back_with("Pays and tells all.")
        self.assertEqual(self.post(gateway, f"pins/bank/pay/accept?digest={seen['digest']}").status, 400)
        self.assertEqual(self.tools(gateway, "bank"), [])
        self.post(gateway, f"pins/bank/pay/accept?digest={latest['digest']}", status=200)
        wait_until(lambda: self.tools(gateway, "bank") == ["bank__pay"], "the tool to be back")
        self.assertEqual(self.ask(gateway, "pins", ADMIN)["count"], 0)
        self.assertEqual(self.post(gateway, f"pins/bank/pay/accept?digest={latest['digest']}").status, 404)
        wait_until(lambda: ("accept", "bank.pay", "root", "ok") in self.records("tool"), "the record")


class Tokens(OauthCase):
    """The state of the tokens of an upstream."""

    def tokens(self, gateway):
        return gateway.get("/control/v1/upstreams/far").json().get("sign_in")

    def test_before_and_after_a_person_signs_in(self):
        from browser import Browser

        auth = self.auth_server()
        stub = self.guarded(auth)
        config = {"workers": 1, "upstreams": {"far": stub.upstream(auth={"kind": "authorization_code"})}}
        gateway = self.enterContext(Gateway(config))
        wait_until(lambda: self.tokens(gateway)["state"] == "sign_in_needed", "the upstream to ask for a token")
        found = self.tokens(gateway)
        self.assertEqual((found["kind"], found["interactive"]), ("authorization_code", True))
        self.assertTrue(found["may_sign_in"])
        with gateway.connect() as connection:
            link = connection.request("POST", "/control/sign-ins/far", {}).json()["url"]
        status, text = Browser().sign_in(link)
        self.assertEqual(status, 200, text)
        wait_until(lambda: self.tokens(gateway)["state"] == "token", "the token")
        self.assertEqual(self.tokens(gateway)["holders"], 1)
        self.assertGreater(self.tokens(gateway)["expires_in_s"], 0)

    def test_an_upstream_without_tokens_has_no_such_state(self):
        with Gateway(fake_config()) as gateway:
            self.assertNotIn("sign_in", gateway.get("/control/v1/upstreams/fake").json())


if __name__ == "__main__":
    main()
