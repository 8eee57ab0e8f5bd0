"""Calls that a person must approve: by elicitation, by `patchbay approve`, by the control API."""

import json
import re
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Background,
    Gateway,
    McpSession,
    TestCase,
    fake,
    main,
    result_of,
    run,
    stateless_call,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    wait_until,
)

RULES = [{"role": "local", "allow": ["fake.*"], "approve": ["fake.echo"]}]
FORMS = {"elicitation": {}}
STATELESS_FORMS = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}


def config(rules=None, **settings):
    whole = {"workers": 2, "upstreams": {"fake": fake()}, "rules": rules or RULES}
    return {**whole, **settings}


class ApprovalCase(TestCase):
    settings = {}

    def setUp(self):
        self.gateway = self.enterContext(Gateway(config(**self.settings)))

    def session(self, capabilities=None):
        return self.enterContext(McpSession(self.gateway, capabilities=capabilities))

    def control(self, method, path="", status=200):
        with self.gateway.connect() as connection:
            response = connection.request(method, f"/control/approvals{path}")
        self.assertEqual(response.status, status, response.body)
        return json.loads(response.body)

    def refused(self, answer):
        """The id under which a call waits."""
        result = result_of(answer)
        self.assertTrue(result["isError"], result)
        return re.search(r"patchbay approve ([0-9a-f]+)", result["content"][0]["text"])[1]

    def calls(self):
        return self.gateway.metric("patchbay_calls_total", upstream="fake", outcome="ok")


class ByAdmin(ApprovalCase):
    def test_one_approval_one_call(self):
        session = self.session()
        waiting = self.refused(session.call("fake__echo", text="hi"))
        self.assertEqual(self.refused(session.call("fake__echo", text="hi")), waiting)
        self.assertEqual(self.calls(), 0)
        (entry,) = self.control("GET")["approvals"]
        self.assertEqual(
            (entry["tool"], entry["arguments"], entry["caller"], entry["state"]),
            ("fake.echo", {"text": "hi"}, "local", "waiting"),
        )
        self.control("POST", f"/{waiting}")
        self.assertEqual(text_of(session.call("fake__echo", text="hi")), "hi")
        self.refused(session.call("fake__echo", text="hi"))
        self.assertEqual(self.calls(), 1)

    def test_an_approval_is_for_these_arguments_only(self):
        session = self.session()
        waiting = self.refused(session.call("fake__echo", text="hi", n=9007199254740993))
        self.control("POST", f"/{waiting}")
        self.refused(session.call("fake__echo", text="hi", n=9007199254740992))
        self.refused(session.call("fake__echo", text="HI", n=9007199254740993))
        # However they are written.
        body = (
            b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fake.echo",'
            b'"arguments":{ "n":9007199254740993.0, "text":"h\\u0069" }}}'
        )
        answer = json.loads(session.post(body).read())
        self.assertEqual(text_of(answer), "hi")

    def test_other_tools_wait_for_nobody(self):
        self.assertIn("pid", text_of(self.session().call("fake__whoami")))

    def test_the_command(self):
        env = {"PATCHBAY_URL": self.gateway.url}
        self.assertEqual(run("approve", env=env).stdout, "no call waits for approval\n")
        session = self.session()
        waiting = self.refused(session.call("fake__echo", text="hi"))
        listed = run("approve", env=env).stdout
        line = f'{waiting}  waiting  local calls fake.echo with {{"text":"hi"}}\n'
        self.assertEqual(listed, line)
        self.assertEqual(run("approve", "--refuse", waiting, env=env).returncode, 0)
        self.assertEqual(run("approve", waiting, env=env).returncode, 5)
        waiting = self.refused(session.call("fake__echo", text="hi"))
        done = run("approve", self.gateway.url, waiting)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(text_of(session.call("fake__echo", text="hi")), "hi")

    def test_unknown_ids_and_methods(self):
        self.control("POST", "/nope", 404)
        self.control("GET", "/nope", 404)
        self.control("DELETE", "/nope", 404)
        self.control("POST", "", 405)

    def test_new_rules_revoke_old_approvals(self):
        session = self.session()
        waiting = self.refused(session.call("fake__echo", text="hi"))
        self.control("POST", f"/{waiting}")
        more = RULES + [{"role": "any", "allow": ["fake.*"]}]
        self.gateway.write_config(config(more))
        self.gateway.stderr.wait_for("reloaded")
        self.assertNotEqual(self.refused(session.call("fake__echo", text="hi")), waiting)

    def test_goals_and_clients_that_cannot_be_asked_get_instructions(self):
        self.refused(stateless_call(self.gateway, "fake__echo", text="hi"))
        with self.gateway.connect() as connection:
            headers = {"Content-Type": "application/json"}
            goal = {"goal": "fake.echo: text=hi"}
            response = connection.request("POST", "/api/agent/execute", headers, goal)
        self.assertIn("patchbay approve", json.loads(response.body)["finalOutput"])


class Bounds(ApprovalCase):
    settings = {"approvals": {"max_pending_per_caller": 2, "max_arguments_size": "256B"}}

    def test_what_waits_is_bounded(self):
        session = self.session()
        for text in "ab":
            self.refused(session.call("fake__echo", text=text))
        full = result_of(session.call("fake__echo", text="c"))
        self.assertIn("too many", full["content"][0]["text"])
        self.assertEqual(len(self.control("GET")["approvals"]), 2)

    def test_what_cannot_be_rendered_cannot_be_approved(self):
        refused = result_of(self.session().call("fake__echo", text="x" * 300))
        self.assertIn("too large", refused["content"][0]["text"])
        self.assertEqual(self.control("GET")["approvals"], [])


class ByTheUser(ApprovalCase):
    def asked(self, session, text):
        """Starts a call; the events of its answer and the question on them."""
        params = {"name": "fake__echo", "arguments": {"text": text}}
        message = {"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params}
        events = session.post(message, self.enterContext(self.gateway.connect())).events()
        for event in events:
            if event.data:
                return events, json.loads(event.data)
        raise AssertionError("nothing was asked")

    def answer(self, session, question, result):
        with self.gateway.connect() as connection:
            message = {"jsonrpc": "2.0", "id": question["id"], "result": result}
            session.post(message, connection).read()

    def last(self, events):
        return [json.loads(event.data) for event in events if event.data][-1]

    def test_a_session(self):
        session = self.session(FORMS)
        events, question = self.asked(session, "hi")
        self.assertEqual(question["method"], "elicitation/create")
        for word in ("local", "fake.echo", '{"text":"hi"}'):
            self.assertIn(word, question["params"]["message"])
        self.answer(session, question, {"action": "accept", "content": {"approve": True}})
        self.assertEqual(text_of(self.last(events)), "hi")

    def test_anything_but_yes_is_no(self):
        session = self.session(FORMS)
        for result in (
            {"action": "decline"},
            {"action": "cancel"},
            {"action": "accept", "content": {"approve": False}},
            {"action": "accept", "content": {}},
            {"action": "accept", "content": {"approve": "true"}},
            {"action": "decline", "content": {"approve": True}},
        ):
            events, question = self.asked(session, "hi")
            self.answer(session, question, result)
            refused = result_of(self.last(events))
            self.assertTrue(refused["isError"], result)
            self.assertIn("did not approve", refused["content"][0]["text"])
        self.assertEqual(self.calls(), 0)

    def test_a_client_without_a_session(self):
        first = result_of(stateless_call(self.gateway, "fake__echo", meta=STATELESS_FORMS, text="hi"))
        self.assertEqual(first["resultType"], "input_required")
        ((key, question),) = first["inputRequests"].items()
        self.assertIn("fake.echo", question["params"]["message"])
        params = {
            "name": "fake__echo",
            "arguments": {"text": "hi"},
            "requestState": first["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"approve": True}}},
        }
        answer = stateless_request(self.gateway, "tools/call", params, meta=STATELESS_FORMS)
        self.assertEqual(text_of(answer), "hi")
        # The state is used up, and with it the approval.
        again = stateless_request(self.gateway, "tools/call", params, meta=STATELESS_FORMS)
        self.assertIn("error", again)

    def test_a_caller_by_rest_is_not_asked_about_itself(self):
        for accept in ("application/json", "text/event-stream"):
            headers = {"Content-Type": "application/json", "Accept": accept}
            with self.gateway.connect() as connection:
                refused = connection.request("POST", "/api/fake.echo", headers, {"text": "hi"})
            self.assertNotIn(b"elicitation", refused.body)
            self.assertIn(b"patchbay approve", refused.body)
        self.assertEqual(self.calls(), 0)

    def test_rules_that_change_while_the_user_thinks(self):
        session = self.session(FORMS)
        events, question = self.asked(session, "hi")
        denied = [{"role": "local", "deny": ["fake.echo"], "allow": ["fake.*"]}]
        self.gateway.write_config(config(denied))
        self.gateway.stderr.wait_for("reloaded")
        self.answer(session, question, {"action": "accept", "content": {"approve": True}})
        self.assertIn("error", self.last(events))
        self.assertEqual(self.calls(), 0)


class AdminOnly(ApprovalCase):
    settings = {"approvals": {"elicit": False}}

    def test_the_user_is_not_asked(self):
        self.refused(self.session(FORMS).call("fake__echo", text="hi"))
        self.refused(stateless_call(self.gateway, "fake__echo", meta=STATELESS_FORMS, text="hi"))


class Admins(ApprovalCase):
    """With authentication, callers with the role approve."""

    settings = {
        "auth": {
            "tokens": [
                {"name": "agent", "token": "agent-token-of-the-tests", "roles": ["agent"]},
                {"name": "boss", "token": "boss-token-of-the-tests", "roles": ["admin"]},
                {"name": "ops", "token": "ops-token-of-the-tests", "scopes": ["approve"]},
                {
                    "name": "both",
                    "token": "both-token-of-the-tests",
                    "roles": ["agent", "admin"],
                },
            ]
        },
        "audit": {"database": "audit.db"},
        "rules": [
            {"role": "agent", "approve": ["fake.echo"]},
            {"role": "admin", "scopes": ["approve"]},
        ],
    }

    def send(self, who, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if who:
            headers["Authorization"] = f"Bearer {who}-token-of-the-tests"
        with self.gateway.connect() as connection:
            return connection.request(method, path, headers, body)

    def call(self, who="agent", meta=None):
        params = {"name": "fake__echo", "arguments": {"text": "hi"}}
        message = stateless_message("tools/call", params, meta=meta)
        headers = {**stateless_headers(message), "Authorization": f"Bearer {who}-token-of-the-tests"}
        with self.gateway.connect() as connection:
            return json.loads(connection.request("POST", "/mcp", headers, message).body)

    def test_only_they_see_and_approve(self):
        waiting = self.refused(self.call())
        for who, status in ((None, 401), ("agent", 403), ("boss", 200), ("ops", 200)):
            self.assertEqual(self.send(who, "GET", "/control/approvals").status, status, who)
        self.assertEqual(self.send("agent", "POST", f"/control/approvals/{waiting}").status, 403)
        self.refused(self.call())
        (entry,) = json.loads(self.send("ops", "GET", "/control/approvals").body)["approvals"]
        self.assertEqual(entry["caller"], "agent")
        env = {"PATCHBAY_URL": self.gateway.url}
        self.assertEqual(run("approve", waiting, env=env).returncode, 1)
        env["PATCHBAY_TOKEN"] = "boss-token-of-the-tests"
        self.assertEqual(run("approve", waiting, env=env).returncode, 0)
        # The approval is the agent's; the boss may not even see the tool.
        self.assert_error(self.call("boss"), -32602)
        self.assertEqual(text_of(self.call()), "hi")


    def test_a_client_with_a_token_is_not_asked_by_default(self):
        self.refused(self.call(meta=STATELESS_FORMS))

    def test_nobody_approves_its_own_call(self):
        waiting = self.refused(self.call("both"))
        refused = self.send("both", "POST", f"/control/approvals/{waiting}")
        self.assertEqual(refused.status, 403, refused.body)
        self.assertIn(b"cannot approve its own call", refused.body)
        self.refused(self.call("both"))
        approved = self.send("boss", "POST", f"/control/approvals/{waiting}")
        self.assertEqual(json.loads(approved.body)["by"], "boss")
        self.assertEqual(text_of(self.call("both")), "hi")

    def records(self, *options):
        database = f"{self.gateway.folder.name}/audit.db"
        done = run("audit", "--database", database, "--json", *options)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_record_names_the_approver(self):
        self.send("boss", "DELETE", f"/control/approvals/{self.refused(self.call())}")
        self.send("ops", "POST", f"/control/approvals/{self.refused(self.call())}")
        self.assertEqual(text_of(self.call()), "hi")
        wait_until(lambda: len(self.records()) == 5, "five records")
        approved, refused = self.records("--event", "approval")
        for record, method, decision, by in (
            (refused, "refuse", "deny", "boss"),
            (approved, "approve", "allow", "ops"),
        ):
            self.assertEqual((record["method"], record["decision"]), (method, decision))
            self.assertEqual((record["name"], record["by"]), ("agent", by))
            self.assertEqual(record["target"], "fake.echo")
        call = self.records("--event", "call")[0]
        self.assertEqual((call["outcome"], call["by"]), ("ok", "ops"))


class AtOnce(ApprovalCase):
    def test_an_approval_is_used_by_one_of_many(self):
        session = self.session()
        self.control("POST", "/" + self.refused(session.call("fake__echo", text="hi")))

        def call():
            with McpSession(self.gateway) as other:
                return result_of(other.call("fake__echo", text="hi")).get("isError", False)

        outcomes = [background.result() for background in [Background(call) for _ in range(8)]]
        self.assertEqual(outcomes.count(False), 1)


if __name__ == "__main__":
    main()
