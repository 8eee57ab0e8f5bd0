"""/control/v1: its answers fit its OpenAPI document, each caller sees what is its own, pages and
cursors lose nothing, and hostile names do no harm."""

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import unittest
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from control_case import ADMIN, ANN, BOB, ControlCase, WithCallers, page
from harness import (
    Gateway,
    McpSession,
    fake,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    wait_until,
)
from npm_peers import PEERS, LeftOut, find_node, npm_ci

try:
    import jsonschema
except ImportError:
    jsonschema = None

HOSTILE = "evil\u001b]0;owned\u0007\u001b[2J\u202etxt.exe<script>alert(1)</script>\u2028"


def resolved(document, schema):
    """The schema with the components of the document, for a validator."""
    return {**schema, "components": document["components"]}


class Document(ControlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(fake_config(audit={"database": "audit.db"}, console={"edit": True})))
        stateless_call(cls.gateway, "fake__echo", text="hi")
        cls.session = cls.enterClassContext(McpSession(cls.gateway))

    def test_it_is_valid(self):
        try:
            node = find_node(20)
            npm_ci(PEERS / "openapi")
        except LeftOut as why:
            raise unittest.SkipTest(str(why)) from None
        file = self.gateway.config_path.parent / "control.json"
        file.write_bytes(page(self.gateway, "openapi.json").body)
        script = PEERS / "openapi" / "validate.mjs"
        done = subprocess.run([node, str(script), str(file)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(jsonschema, "there is no python3-jsonschema")
    def test_every_answer_fits_it(self):
        document = self.ask(self.gateway, "openapi.json")
        self.wait_calls(self.gateway, "method=tools/call", 1)
        wait_until(lambda: self.ask(self.gateway, "audit")["records"], "an audit record")
        tried = 0
        for path, operations in document["paths"].items():
            if "get" not in operations or path.endswith("/live") or "registrations" in path:
                continue
            if "{id}" in path and "traces" not in path:
                continue
            response = self.gateway.get(path.replace("{id}", "last"))
            self.assertEqual(response.status, 200, path)
            schema = operations["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.Draft202012Validator(resolved(document, schema)).validate(response.json())
            tried += 1
        self.assertGreaterEqual(tried, 9)
        self.assertTrue(self.ask(self.gateway, "clients")["clients"])

    def test_every_parameter_is_known(self):
        document = self.ask(self.gateway, "openapi.json")
        parameters = document["components"]["parameters"]
        examples = {"limit": "5", "slower_than": "1ms", "trace": "a" * 32, "window": "5s", "since": "1h", "until": "0",
                    "range": "3h", "kind": "prompt", "reason": "off"}
        for path, operations in document["paths"].items():
            for reference in operations.get("get", {}).get("parameters", []):
                parameter = parameters[reference["$ref"].rpartition("/")[2]]
                name = parameter["name"]
                # There is no bus here: test_kafka_control.py has one.
                if parameter["in"] != "query" or path.endswith("/live") or "/buses/" in path:
                    continue
                value = examples.get(name, "x" if name not in ("before", "after", "cursor") else None)
                if value is None:
                    continue  # A cursor.
                response = self.gateway.get(f"{path.replace('{id}', 'last')}?{name}={value}")
                self.assertEqual(response.status, 200, (path, name, response.body))

    def test_errors_are_clear(self):
        for path, status, text in (
            ("nothing", 404, "openapi.json"),
            ("calls?color=red", 400, "'color'"),
            ("calls?limit=0", 400, "limit"),
            ("calls?limit=501", 400, "limit"),
            ("calls?slower_than=fast", 400, "slower_than"),
            ("calls?trace=abc", 400, "trace id"),
            ("calls?before=x", 400, "cursor"),
            ("calls?after=deadbeef.0", 400, "cursor"),
            ("calls?limit=1&limit=2", 400, "limit"),
            ("traces/xyz", 400, "trace id"),
            ("traces/" + "0" * 31 + "1", 404, "telemetry.max_recent_calls"),
            ("metrics?window=2h", 400, "window"),
            ("history?range=1h", 400, "range"),
            ("catalog?kind=x", 400, "kind"),
            ("catalog?cursor=x", 400, "cursor"),
            ("catalog?cursor=1-x", 400, "cursor"),
            ("clients?after=-1", 400, "after"),
            ("audit?limit=x", 400, "limit"),
            ("status?x=1", 400, "'x'"),
        ):
            response = page(self.gateway, path)
            self.assertEqual(response.status, status, path)
            self.assertIn(text, response.json()["error"], path)
        self.assertEqual(page(self.gateway, "calls", method="POST").status, 405)

    def test_unchanged_answers_are_not_sent_again(self):
        for path in ("upstreams", "traces/last", "openapi.json"):
            first = page(self.gateway, path)
            again = page(self.gateway, path, headers={"If-None-Match": first.header("etag")})
            self.assertEqual((again.status, again.body), (304, b""), path)
            head = page(self.gateway, path, method="HEAD")
            self.assertEqual((head.status, head.body), (200, b""), path)
            self.assertEqual(head.header("etag"), first.header("etag"))
        before = page(self.gateway, "calls").header("etag")
        stateless_call(self.gateway, "fake__echo", text="again")
        wait_until(lambda: page(self.gateway, "calls").header("etag") != before, "another entity tag")


class State(ControlCase):
    def test_status_upstreams_and_clients(self):
        absent = {"kind": "stdio", "command": "/nonexistent/program"}
        with Gateway(fake_config({"fake": fake(), "gone": absent})) as gateway:
            status = self.ask(gateway, "status")
            self.assertEqual(status["status"], "degraded")
            self.assertEqual((status["upstreams"], status["upstreams_up"]), (2, 1))
            self.assertTrue(status["admin"])
            self.assertIn(status["configuration_digest"], gateway.stdout.text())
            fake_row, gone = self.ask(gateway, "upstreams")["upstreams"]
            self.assertEqual((fake_row["state"], gone["state"]), ("up", "down"))
            self.assertGreater(fake_row["tools"], 10)
            self.assertIn("/nonexistent/program", gone["detail"])
            self.assertEqual(self.ask(gateway, "clients")["clients"], [])
            with McpSession(gateway) as session:
                session.call("fake__echo", text="x")
                (client,) = self.ask(gateway, "clients")["clients"]
                self.assertEqual((client["kind"], client["frontend"]), ("session", "mcp-http"))
                self.assertIn("tests", client["client"])
                self.assertEqual((client["caller"], client["from"]), ("local", "127.0.0.1"))
                self.assertNotIn(session.id, json.dumps(client))
                session.connection.request("DELETE", "/mcp", session.headers())
            wait_until(lambda: not self.ask(gateway, "clients")["clients"], "the session to end")

    def test_load_per_upstream_and_tool(self):
        with Gateway(fake_config()) as gateway:
            for _ in range(5):
                stateless_call(gateway, "fake__echo", text="x")
            stateless_call(gateway, "fake__fail")
            wait_until(lambda: gateway.metric("patchbay_calls_total", upstream="fake") == 6, "six calls")
            load = self.ask(gateway, "metrics")
            (row,) = [one for one in load["upstreams"] if one["name"] == "fake"]
            self.assertEqual((row["calls"], row["errors"]), (6, 1))
            self.assertGreater(row["calls_per_second"], 0)
            self.assertLessEqual(row["p50_ms"], row["p99_ms"])
            tools = {one["name"]: one for one in load["tools"]}
            self.assertEqual(tools["fake.echo"]["calls"], 5)
            self.assertEqual(tools["fake.fail"]["errors"], 1)
            self.assertGreaterEqual(load["total"]["calls"], 6)


class Calls(ControlCase):
    def test_a_call_and_its_stages(self):
        with Gateway(fake_config()) as gateway:
            stateless_call(gateway, "fake__echo", text="very secret argument")
            (call,) = self.wait_calls(gateway, "method=tools/call", 1)
            self.assertEqual((call["outcome"], call["failed"]), ("ok", False))
            self.assertEqual((call["tool"], call["upstream"]), ("fake.echo", "fake"))
            self.assertEqual((call["caller"], call["frontend"]), ("local", "mcp-http"))
            stages = [stage["stage"] for stage in call["stages"]]
            self.assertIn("attempt", stages)
            attempt = call["stages"][stages.index("attempt")]
            self.assertLessEqual(attempt["took_ms"], call["took_ms"])
            self.assertNotIn("secret", json.dumps(call))
            trace = self.ask(gateway, "traces/" + call["trace_id"][:8])
            self.assertEqual(trace["trace_id"], call["trace_id"])
            self.assertEqual(trace["calls"], [call])
            self.assertEqual(self.ask(gateway, "traces/last")["calls"], [call])

    def test_a_session_is_named_by_a_digest(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            session.call("fake__echo", text="x")
            (call,) = self.wait_calls(gateway, "method=tools/call", 1)
            digest = hashlib.sha256(session.id.encode()).hexdigest()[:16]
            self.assertEqual(call["session"], digest)

    def test_the_trace_of_the_client_names_its_calls(self):
        with Gateway(fake_config()) as gateway:
            trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            parent = f"00-{trace}-00f067aa0ba902b7-01"
            for tool in ("fake__echo", "fake__fail"):
                meta_call(gateway, tool, parent)
            wait_until(lambda: len(self.calls(gateway, f"trace={trace[:8]}")) == 2, "two calls")
            calls = self.ask(gateway, "traces/" + trace)["calls"]
            self.assertEqual([call["target"] for call in calls], ["fake__echo", "fake__fail"])
            self.assertEqual({call["parent_span_id"] for call in calls}, {"00f067aa0ba902b7"})

    def test_filters(self):
        with Gateway(fake_config()) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            stateless_call(gateway, "fake__fail")
            stateless_call(gateway, "fake__sleep", ms=120)
            self.wait_calls(gateway, "method=tools/call", 3)
            for query, targets in (
                ("outcome=!ok", ["fake__fail"]),
                ("outcome=tool_*", ["fake__fail"]),
                ("slower_than=100ms", ["fake__sleep"]),
                ("tool=fake.e*", ["fake__echo"]),
                ("tool=fake__echo", ["fake__echo"]),
                ("upstream=other", []),
                ("caller=local&outcome=ok&method=tools/call", ["fake__sleep", "fake__echo"]),
                ("method=tools/call&limit=1", ["fake__sleep"]),
            ):
                found = [call["target"] for call in self.calls(gateway, query)]
                self.assertEqual(found, targets, query)
            self.assertEqual(self.ask(gateway, "traces/failed")["calls"][0]["target"], "fake__fail")
            self.assertEqual(self.ask(gateway, "traces/slowest")["calls"][0]["target"], "fake__sleep")

    def test_pages_and_changes_lose_nothing(self):
        with Gateway(fake_config(workers=2)) as gateway:
            for i in range(25):
                stateless_call(gateway, "fake__echo", text=str(i))
            self.wait_calls(gateway, "method=tools/call", 25)
            found, query = [], "calls?limit=7&method=tools/call"
            answer = self.ask(gateway, query)
            newest = answer["newest"]
            while True:
                found += answer["calls"]
                if "next" not in answer:
                    break
                answer = self.ask(gateway, f"{query}&before={answer['next']}")
            self.assertEqual(len({call["span_id"] for call in found}), 25)
            times = [call["began"] for call in found]
            self.assertEqual(times, sorted(times, reverse=True))
            stateless_call(gateway, "fake__add", a=1, b=2)
            wait_until(lambda: self.ask(gateway, f"calls?after={newest}")["calls"], "the new call")
            later = self.ask(gateway, f"calls?after={newest}")
            self.assertEqual([call["target"] for call in later["calls"]], ["fake__add"])
            self.assertEqual(self.ask(gateway, f"calls?after={later['newest']}")["calls"], [])

    def test_only_the_last_ones_are_stored(self):
        with Gateway(fake_config(workers=1, telemetry={"max_recent_calls": 3})) as gateway:
            for name in ("echo", "add", "whoami", "cwd"):
                stateless_call(gateway, f"fake__{name}", text="x", a=1, b=2)
            wait_until(lambda: "fake__cwd" in str(self.calls(gateway)), "the last call")
            self.assertEqual(len(self.calls(gateway)), 3)
        with Gateway(fake_config(telemetry={"max_recent_calls": 0})) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            self.assertEqual(self.calls(gateway), [])

    def test_recent_is_the_same(self):
        with Gateway(fake_config()) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            self.wait_calls(gateway, "method=tools/call", 1)
            recent = gateway.get("/control/recent?method=tools/call").json()
            self.assertEqual(recent, self.ask(gateway, "calls?method=tools/call"))

    def test_hostile_names_are_plain_json(self):
        with Gateway(fake_config()) as gateway:
            with McpSession(gateway) as session:
                for name in (HOSTILE, "x" * (1 << 20), "\x00\x7f\x9b"):
                    session.call(name)
            wait_until(lambda: len(self.calls(gateway, "method=tools/call")) == 3, "three calls")
            body = page(gateway, "calls").body
            self.assertNotIn(b"\x1b", body)
            self.assertNotIn("\u202e".encode(), body)
            self.assertLess(len(body), 20_000)
            targets = [call.get("target", "") for call in json.loads(body)["calls"]]
            self.assertIn(HOSTILE, targets)
            self.assertLessEqual(max(map(len, targets)), 192)


def meta_call(gateway, tool, parent):
    """A stateless call with a traceparent in its header."""
    message = stateless_message("tools/call", {"name": tool, "arguments": {"text": "x"}})
    with gateway.connect() as connection:
        headers = {**stateless_headers(message), "traceparent": parent}
        connection.send("POST", "/mcp", headers, message)
        connection.read_head().read()


class WhoSeesWhat(WithCallers):
    settings = {"audit": {"database": "audit.db"}}

    def test_a_caller_sees_its_own_calls(self):
        self.call(ANN, text="of ann")
        self.call(BOB, "other__echo", text="of bob")
        for name in ("ann", "bob"):
            wait_until(lambda name=name: self.calls(self.gateway, f"method=tools/call&caller={name}", ADMIN), name)
        for token, name in ((ANN, "ann"), (BOB, "bob")):
            calls = self.calls(self.gateway, token=token)
            self.assertEqual({call["caller"] for call in calls}, {name})
            self.assertEqual(self.calls(self.gateway, "caller=*", token=token), calls)
        of_ann = self.calls(self.gateway, "method=tools/call", ANN)[0]
        self.assertEqual(page(self.gateway, "traces/" + of_ann["trace_id"], BOB).status, 404)
        self.assertEqual(page(self.gateway, "traces/" + of_ann["trace_id"], ANN).status, 200)
        self.assertNotIn("missed", self.ask(self.gateway, "calls?after=" +
                                            quote(self.ask(self.gateway, "calls", BOB)["newest"]), BOB))

    def test_a_caller_sees_the_upstreams_it_may_use(self):
        names = lambda token, path: [one["name"] for one in self.ask(self.gateway, path, token)["upstreams"]]
        self.assertEqual(names(ADMIN, "upstreams"), ["fake", "other"])
        self.assertEqual(names(BOB, "upstreams"), ["other"])
        self.call(ANN, text="x")
        self.call(BOB, "other__echo", text="x")
        wait_until(lambda: "other" in names(ADMIN, "metrics"), "the call in the metrics")
        load = self.ask(self.gateway, "metrics", BOB)
        self.assertLessEqual({one["name"] for one in load["upstreams"]}, {"other"})
        self.assertFalse([one for one in load["tools"] if one["name"].startswith("fake.")])
        self.assertEqual(load["clients"], [])
        self.assertNotIn("total", load)
        ready = lambda token: self.gateway.get("/ready", bearer(token)).json()
        self.assertEqual([one["name"] for one in ready(ADMIN)["upstreams"]], ["fake", "other"])
        self.assertEqual([one["name"] for one in ready(BOB)["upstreams"]], ["other"])
        status = self.ask(self.gateway, "status", BOB)
        self.assertEqual((status["upstreams"], status["admin"], status["caller"]), (1, False, "bob"))
        self.assertNotIn("configuration_digest", status)
        self.assertIn("configuration_digest", self.ask(self.gateway, "status", ADMIN))

    def test_a_caller_sees_its_own_audit_records(self):
        self.call(ANN, text="a secret argument")
        self.call(BOB, "other__echo", text="x")
        everyone = lambda: {one["name"] for one in self.ask(self.gateway, "audit", ADMIN)["records"]}
        wait_until(lambda: {"ann", "bob"} <= everyone(), "both records")
        records = self.ask(self.gateway, "audit", BOB)["records"]
        self.assertEqual({one["name"] for one in records}, {"bob"})
        text = page(self.gateway, "audit", ADMIN).body
        self.assertNotIn(b"secret", text)
        self.assertNotIn(b"digest", text)

    def test_queries_of_one_caller_do_not_keep_the_database_busy(self):
        self.call(BOB, "other__echo", text="x")
        wait_until(lambda: self.ask(self.gateway, "audit", BOB)["records"], "a record")
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(self.gateway.connect()) for _ in range(40)]
            for connection in connections:
                self.assertEqual(connection.request("GET", "/health").status, 200)
            # All arrive before the first one is answered.
            self.gateway.process.send_signal(signal.SIGSTOP)
            for connection in connections:
                connection.send("GET", "/control/v1/audit", bearer(BOB))
            self.gateway.process.send_signal(signal.SIGCONT)
            statuses = [connection.read_head().status for connection in connections]
        self.assertEqual(set(statuses), {200, 429}, statuses)
        self.assertEqual(page(self.gateway, "audit", ADMIN).status, 200)
        self.assertEqual(page(self.gateway, "audit", BOB).status, 200)

    def test_pages_of_audit_records(self):
        for i in range(7):
            self.call(ANN, text=str(i))
        wait_until(lambda: len(self.ask(self.gateway, "audit?limit=500&caller=ann", ADMIN)["records"]) >= 7)
        whole = self.ask(self.gateway, "audit?limit=500", ADMIN)
        found, answer = [], self.ask(self.gateway, "audit?limit=3", ADMIN)
        while True:
            found += answer["records"]
            if "next" not in answer:
                break
            answer = self.ask(self.gateway, f"audit?limit=3&before={answer['next']}", ADMIN)
        self.assertEqual(found[-len(whole["records"]):], whole["records"])
        self.call(ANN, "fake__add", a=1, b=2)
        query = f"audit?caller=ann&after={whole['newest']}"
        wait_until(lambda: "fake__add" in str(self.ask(self.gateway, query, ADMIN)), "the new record")

    def test_nobody_without_credentials(self):
        for path in ("status", "calls", "calls/live", "openapi.json", "audit"):
            self.assertEqual(page(self.gateway, path).status, 401, path)

    def test_sessions_of_others_are_hidden(self):
        with McpSession(self.gateway, headers={"Authorization": f"Bearer {ANN}"}):
            self.assertEqual(len(self.ask(self.gateway, "clients", ADMIN)["clients"]), 1)
            self.assertEqual(len(self.ask(self.gateway, "clients", ANN)["clients"]), 1)
            self.assertEqual(self.ask(self.gateway, "clients", BOB)["clients"], [])


class LongNames(ControlCase):
    def test_callers_whose_ids_begin_alike_see_nothing_of_each_other(self):
        """A record holds 128 bytes of an id. That of the first caller is as long."""
        first = "a" * (128 - len("proxy:"))
        second = first + "b"
        proxy = {"from": ["127.0.0.1"], "header": "X-User", "roles": ["reader"]}
        with Gateway(fake_config(auth={"proxies": [proxy]})) as gateway:

            def calls(name):
                with gateway.connect() as connection:
                    return connection.request("GET", "/control/v1/calls", {"X-User": name}).json()["calls"]

            call_as(gateway, "fake__echo", {"X-User": second}, text="x")
            wait_until(lambda: calls(second), "its own call")
            self.assertEqual(calls(first), [])
            call_as(gateway, "fake__echo", {"X-User": first}, text="x")
            wait_until(lambda: calls(first), "its own call")
            self.assertEqual((len(calls(first)), len(calls(second))), (1, 1))


class WithoutAudit(ControlCase):
    def test_there_is_no_audit_database(self):
        with Gateway(fake_config()) as gateway:
            response = page(gateway, "audit")
            self.assertEqual(response.status, 404)
            self.assertIn("audit.database", response.json()["error"])


main()
