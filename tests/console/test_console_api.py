"""What the console shows beside the rest of the control API: the load of the past, calls that wait
for approval, and the catalog."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")
sys.path.insert(1, sys.path[0] + "/../admin")

from auth_case import bearer, call_as
from control_case import ADMIN, ANN, BOB, RULES, TOKENS, ControlCase, page
from harness import Gateway, McpSession, fake, fake_config, main, wait_until

SPANS = {"15m": (5, 180), "3h": (60, 180), "24h": (300, 288)}


class WithCallers(ControlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rules = [
            {"role": "admin", "allow": ["*"], "prompts": ["*"], "resources": ["*"]},
            {"role": "reader", "allow": ["fake.echo"], "approve": ["fake.add"]},
            {"role": "guest", "allow": ["other.*"]},
            {
                "role": "careful",
                "allow": ["fake.echo"],
                "when": [{"pointer": "/text", "matches": "^hello"}],
            },
        ]
        upstreams = {"fake": fake(), "other": fake()}
        config = fake_config(upstreams, auth={"tokens": TOKENS}, rules=rules)
        cls.gateway = cls.enterClassContext(Gateway(config))


class History(WithCallers):
    def test_every_range(self):
        for name, (interval, count) in SPANS.items():
            found = self.ask(self.gateway, f"history?range={name}", ADMIN)
            self.assertEqual((found["range"], found["interval_s"]), (name, interval))
            self.assertEqual({len(one) for one in found["series"].values()}, {count})
        self.assertEqual(self.ask(self.gateway, "history", ADMIN)["range"], "15m")

    def test_calls_appear(self):
        for text in ("a", "b", "c"):
            call_as(self.gateway, "fake__echo", bearer(ANN), text=text)

        def counted():
            series = self.ask(self.gateway, "history", ADMIN)["series"]
            return sum(one or 0 for one in series["calls"]) >= 3 and series

        series = wait_until(counted, "a step with the calls")
        steps = [index for index, one in enumerate(series["calls"]) if one]
        for name in ("p50_ms", "p95_ms", "p99_ms"):
            self.assertGreater(series[name][steps[0]], 0)
        self.assertEqual(series["errors"][steps[0]], 0)
        # Before the gateway ran there is nothing, which is not zero.
        self.assertIsNone(series["calls"][0])
        own = self.ask(self.gateway, "history?upstream=fake", ANN)["series"]
        self.assertGreaterEqual(sum(one or 0 for one in own["calls"]), 3)

    def test_who_sees_it(self):
        self.assertEqual(page(self.gateway, "history", ANN).status, 403)
        self.assertEqual(page(self.gateway, "history?upstream=other", ANN).status, 404)
        self.assertEqual(page(self.gateway, "history?upstream=fake", BOB).status, 404)
        self.assertEqual(page(self.gateway, "history?upstream=nothing", ADMIN).status, 200)


class Approvals(WithCallers):
    def waiting(self, token):
        return self.ask(self.gateway, "approvals", token)["approvals"]

    def decide(self, identifier, method="POST", token=ADMIN):
        with self.gateway.connect() as connection:
            path = f"/control/approvals/{identifier}"
            return connection.request(method, path, bearer(token), b"" if method == "POST" else None)

    def test_what_waits_with_what_was_approved_before(self):
        refused = call_as(self.gateway, "fake__add", bearer(ANN), a=1, b=2)
        self.assertIn("approv", json.dumps(refused))
        first = self.waiting(ADMIN)[0]
        self.assertEqual((first["tool"], first["caller"], first["state"]), ("fake.add", "ann", "waiting"))
        self.assertEqual(first["arguments"], {"a": 1, "b": 2})
        self.assertTrue(first["may_decide"])
        self.assertNotIn("last_approved", first)
        self.assertLess(first["asked"], first["expires"])
        # The caller sees it too, and cannot decide; nobody else sees it.
        own = self.waiting(ANN)[0]
        self.assertEqual((own["id"], own["may_decide"]), (first["id"], False))
        self.assertEqual(self.waiting(BOB), [])
        self.assertEqual(self.decide(first["id"], token=ANN).status, 403)
        self.assertEqual(self.decide(first["id"]).status, 200)
        self.assertEqual(self.waiting(ADMIN)[0]["state"], "approved")
        call_as(self.gateway, "fake__add", bearer(ANN), a=1, b=2)
        wait_until(lambda: not self.waiting(ADMIN), "the call to use it up")
        call_as(self.gateway, "fake__add", bearer(ANN), a=1, b=3)
        second = self.waiting(ADMIN)[0]
        self.assertEqual(second["arguments"], {"a": 1, "b": 3})
        before = second["last_approved"]
        self.assertEqual((before["arguments"], before["by"]), ({"a": 1, "b": 2}, "root"))
        self.assertEqual(self.decide(f"{second['id']}?reason=" + "x" * 2000, "DELETE").status, 400)
        self.assertEqual(self.decide(f"{second['id']}?reason=too%20much", "DELETE").status, 200)
        self.assertIn('reason="too much"', self.gateway.stderr.wait_for(" refused "))
        self.assertEqual(self.waiting(ADMIN), [])


class Catalog(WithCallers):
    def items(self, query="", token=ADMIN):
        return self.ask(self.gateway, "catalog" + query, token)["items"]

    def test_items_as_the_caller_sees_them(self):
        names = {one["name"] for one in self.items("?kind=tool&limit=500")}
        self.assertIn("fake__echo", names)
        self.assertIn("other__echo", names)
        own = self.items("?limit=500", ANN)
        self.assertEqual({one["name"] for one in own}, {"fake__echo", "fake__add"})
        self.assertNotIn("roles", own[0])
        echo = next(one for one in own if one["name"] == "fake__echo")
        self.assertEqual((echo["kind"], echo["upstream"], echo["upstream_name"]), ("tool", "fake", "echo"))
        self.assertEqual(echo["definition"]["name"], "fake__echo")
        self.assertIn("inputSchema", echo["definition"])
        self.assertAlmostEqual(echo["tokens_about"], echo["bytes"] / 4, delta=1)

    def test_which_roles_may_use_it(self):
        tools = {one["name"]: one["roles"] for one in self.items("?kind=tool&limit=500")}
        used = {one["role"]: one["use"] for one in tools["fake__echo"]}
        self.assertEqual(used, {"admin": "allowed", "reader": "allowed", "careful": "conditions"})
        used = {one["role"]: one["use"] for one in tools["fake__add"]}
        self.assertEqual(used, {"admin": "allowed", "reader": "approval"})
        used = {one["role"]: one["use"] for one in tools["other__echo"]}
        self.assertEqual(used, {"admin": "allowed", "guest": "allowed"})

    def test_the_rules_know_a_renamed_tool_by_its_new_name(self):
        upstreams = {"fake": fake(tools={"allow": ["echo"], "rename": {"echo": "say"}})}
        rules = [
            {"role": "admin", "allow": ["*"]},
            {"role": "reader", "allow": ["fake.say"]},
            {"role": "guest", "allow": ["fake.echo"]},
        ]
        with Gateway(fake_config(upstreams, auth={"tokens": TOKENS}, rules=rules)) as gateway:
            gateway.wait_ready()
            tools = self.ask(gateway, "catalog?kind=tool", ADMIN)["items"]
            self.assertEqual([(one["name"], one["upstream_name"]) for one in tools], [("fake__say", "echo")])
            self.assertEqual({one["role"] for one in tools[0]["roles"]}, {"admin", "reader"})
            for token, allowed in ((ANN, True), (BOB, False)):
                answer = call_as(gateway, "fake__say", bearer(token), text="hi")
                self.assertEqual("result" in answer, allowed, answer)

    def test_filters(self):
        for one in self.items("?kind=tool&upstream=other&limit=500"):
            self.assertEqual((one["kind"], one["upstream"]), ("tool", "other"))
        found = {one["name"] for one in self.items("?search=ECHO&kind=tool&limit=500")}
        self.assertIn("fake__echo", found)
        self.assertNotIn("fake__add", found)
        self.assertEqual(self.items("?search=no-such-text"), [])

    def test_pages(self):
        whole = [(one["kind"], one["name"]) for one in self.items("?limit=500")]
        seen, query = [], "?limit=7"
        while True:
            found = self.ask(self.gateway, "catalog" + query, ADMIN)
            seen += [(one["kind"], one["name"]) for one in found["items"]]
            self.assertLessEqual(len(found["items"]), 7)
            if "next" not in found:
                break
            query = f"?limit=7&cursor={found['next']}"
        self.assertEqual(seen, whole)
        self.assertEqual(len(seen), sum(found[kind] for kind in ("tools", "prompts", "resources", "templates")))

    def test_a_cursor_of_another_catalog(self):
        found = self.ask(self.gateway, "catalog?limit=1", ANN)
        self.assertEqual(page(self.gateway, f"catalog?cursor={found['next']}", ADMIN).status, 400)


class Upstreams(ControlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        script = "echo first >&2; printf 'red \\033[31mline\\n' >&2; exit 3"
        noisy = {"kind": "stdio", "command": "/bin/sh", "args": ["-c", script]}
        upstreams = {"fake": fake(), "noisy": noisy}
        cls.audit = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "audit.jsonl")
        config = fake_config(upstreams, auth={"tokens": TOKENS}, rules=RULES, audit={"file": str(cls.audit)})
        cls.gateway = cls.enterClassContext(Gateway(config))

    def restart(self, name, token=ADMIN):
        with self.gateway.connect() as connection:
            path = f"/control/v1/upstreams/{name}/restart"
            return connection.request("POST", path, bearer(token), b"")

    def test_one_with_its_last_lines(self):
        def lines():
            found = self.ask(self.gateway, "upstreams/noisy", ADMIN)
            return [one["line"] for one in found["stderr"]]

        wait_until(lambda: lines()[:2] == ["first", "red line"], "the lines of the program")
        found = self.ask(self.gateway, "upstreams/noisy", ADMIN)
        self.assertEqual((found["name"], found["state"]), ("noisy", "down"))
        self.assertTrue(found["detail"])
        self.assertLessEqual(len(found["stderr"]), 50)

    def test_who_sees_it(self):
        self.assertNotIn("stderr", self.ask(self.gateway, "upstreams/fake", ANN))
        self.assertEqual(page(self.gateway, "upstreams/fake", BOB).status, 404)
        self.assertEqual(page(self.gateway, "upstreams/nothing", ADMIN).status, 404)

    def test_a_restart(self):
        before = self.ask(self.gateway, "upstreams/fake", ADMIN)["restarts"]
        call_as(self.gateway, "fake__echo", bearer(ANN), text="a")
        answer = self.restart("fake")
        self.assertEqual((answer.status, answer.json()), (202, {"upstream": "fake", "restarting": True}))
        wait_until(
            lambda: self.ask(self.gateway, "upstreams/fake", ADMIN)["restarts"] > before, "another program"
        )
        wait_until(lambda: self.ask(self.gateway, "upstreams/fake", ADMIN)["state"] == "up", "it to be up")
        answer = call_as(self.gateway, "fake__echo", bearer(ANN), text="again")
        self.assertIn("again", json.dumps(answer))
        wait_until(lambda: '"event":"upstream"' in self.audit.read_text(encoding="utf-8"), "the record")
        records = [json.loads(line) for line in self.audit.read_text(encoding="utf-8").splitlines()]
        events = [one for one in records if one.get("event") == "upstream"]
        self.assertEqual([(one["method"], one["target"], one["name"]) for one in events], [("restart", "fake", "root")])

    def test_who_may_restart(self):
        for token in (ANN, BOB):
            self.assertEqual(self.restart("fake", token).status, 403)
        self.assertEqual(self.restart("nothing").status, 404)
        with self.gateway.connect() as connection:
            got = connection.request("POST", "/control/v1/upstreams/fake", bearer(ADMIN), b"")
            self.assertEqual(got.status, 400)
            got = connection.request("GET", "/control/v1/upstreams/fake/restart", bearer(ADMIN))
            self.assertEqual(got.status, 400)

    def test_what_cannot_be_restarted(self):
        with Gateway({"upstreams": {"skills": {"kind": "builtin"}}}) as gateway:
            with gateway.connect() as connection:
                got = connection.request("POST", "/control/v1/upstreams/skills/restart", {}, b"")
            self.assertEqual(got.status, 400, got.body)
            self.assertIn("cannot be restarted", got.json()["error"])


class Clients(ControlCase):
    def end(self, gateway, identifier, token=ADMIN):
        with gateway.connect() as connection:
            return connection.request("DELETE", f"/control/v1/clients/{identifier}", bearer(token))

    def open(self, gateway, kind):
        listed = self.ask(gateway, "clients", ADMIN)["clients"]
        return [one["id"] for one in listed if one["kind"] == kind]

    def test_a_session_and_its_stream(self):
        with tempfile.TemporaryDirectory() as folder:
            audit = pathlib.Path(folder, "audit.jsonl")
            config = fake_config(auth={"tokens": TOKENS}, rules=RULES, audit={"file": str(audit)})
            with Gateway(config) as gateway, McpSession(gateway, headers=bearer(ANN)) as session:
                session.request("ping")
                with gateway.connect() as connection:
                    connection.send("GET", "/mcp", session.headers(Accept="text/event-stream"))
                    stream = connection.read_head()
                    self.assertEqual(stream.status, 200)
                    wait_until(lambda: self.open(gateway, "stream"), "the stream")
                    identifier = self.open(gateway, "session")[0]
                    for token in (ANN, BOB):
                        self.assertEqual(self.end(gateway, identifier, token).status, 403)
                    self.assertEqual(self.end(gateway, identifier).status, 200)
                    self.assertEqual(list(stream.events()), [])
                wait_until(lambda: not self.open(gateway, "session"), "the end of the session")
                self.assertEqual(self.end(gateway, identifier).status, 404)
                self.assertEqual(self.end(gateway, "x").status, 404)
                wait_until(lambda: '"event":"client"' in audit.read_text(encoding="utf-8"), "the record")
                records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
                ended = [one for one in records if one.get("event") == "client"]
                self.assertEqual([(one["method"], one["name"], one["by"]) for one in ended], [("end", "ann", "root")])

    def test_a_stream_alone(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            with gateway.connect() as connection:
                connection.send("GET", "/mcp", session.headers(Accept="text/event-stream"))
                stream = connection.read_head()
                wait_until(lambda: self.open_here(gateway, "stream"), "the stream")
                with gateway.connect() as other:
                    path = f"/control/v1/clients/{self.open_here(gateway, 'stream')[0]}"
                    self.assertEqual(other.request("DELETE", path).status, 200)
                self.assertEqual(list(stream.events()), [])
            self.assertTrue(self.open_here(gateway, "session"))

    def open_here(self, gateway, kind):
        listed = self.ask(gateway, "clients")["clients"]
        return [one["id"] for one in listed if one["kind"] == kind]


if __name__ == "__main__":
    main()
