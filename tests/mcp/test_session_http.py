"""Streamable HTTP of 2025-03-26, 2025-06-18 and 2025-11-25 at /mcp."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    SESSION_VERSIONS,
    Background,
    Gateway,
    McpSession,
    TestCase,
    answer_from,
    fake,
    fake_config,
    main,
    result_of,
    text_of,
    wait_until,
)


def initialize_message(version="2025-11-25", request_id=0):
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }


class SessionCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config({"fake": fake(timeout="20s")})))

    def session(self, version="2025-11-25", **settings):
        return self.enterContext(McpSession(self.gateway, version, **settings))

    def post(self, message, **headers):
        fields = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        with self.gateway.connect() as connection:
            return connection.request("POST", "/mcp", {**fields, **headers}, message)


class Lifecycle(SessionCase):
    def test_each_revision_opens_lists_calls_and_ends(self):
        for version in SESSION_VERSIONS:
            with self.subTest(version=version):
                session = self.session(version)
                self.assertEqual(session.handshake["protocolVersion"], version)
                self.assertIn("tools", session.handshake["capabilities"])
                self.assertEqual(session.handshake["serverInfo"]["name"], "patchbay")
                self.assertRegex(session.id, r"^[\x21-\x7e]{16,}$")
                self.assertEqual(result_of(session.request("ping")), {})
                self.assertIn("fake__echo", session.tool_names())
                self.assertEqual(text_of(session.call("fake__echo", text=version)), version)
                self.assertIn(session.delete().status, (200, 204))
                self.assertEqual(
                    session.post({"jsonrpc": "2.0", "id": 9, "method": "ping"}).status, 404
                )

    def test_nothing_of_the_stateless_revision_leaks(self):
        session = self.session()
        listed = result_of(session.request("tools/list"))
        self.assertEqual(set(listed), {"tools"})
        self.assertNotIn("resultType", result_of(session.call("fake__echo", text="x")))

    def test_an_unknown_version_is_answered_with_one_of_ours(self):
        for asked in ("1999-01-01", "2099-12-31", "garbage"):
            with self.subTest(asked=asked):
                response = self.post(initialize_message(asked))
                self.assertIn(result_of(response.json())["protocolVersion"], SESSION_VERSIONS)

    def test_initialize_with_bad_params(self):
        for params in (None, {}, [], "x", {"protocolVersion": 5, "capabilities": {}}):
            with self.subTest(params=params):
                message = {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": params}
                response = self.post(message)
                self.assertIn(response.status, (200, 400))
                self.assertIn(response.json()["error"]["code"], (-32602, -32600))
                self.assertIsNone(response.header("mcp-session-id"))

    def test_session_ids_differ_and_do_not_count(self):
        ids = [self.session().id for _ in range(20)]
        self.assertEqual(len(set(ids)), 20)
        # Ids that share most of their beginning would be a counter or a clock.
        self.assertEqual(len({session_id[:8] for session_id in ids}), 20)

    def test_missing_and_unknown_session(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.post(ping).status, 400)
        for session_id in ("nope", "x" * 200, "../../etc/passwd"):
            self.assertEqual(self.post(ping, **{"Mcp-Session-Id": session_id}).status, 404)
        for method in ("GET", "DELETE"):
            with self.subTest(method=method), self.gateway.connect() as connection:
                headers = {"Accept": "text/event-stream"}
                self.assertEqual(connection.request(method, "/mcp", headers).status, 400)
                headers["Mcp-Session-Id"] = "nope"
                self.assertEqual(connection.request(method, "/mcp", headers).status, 404)

    def test_sessions_are_counted_and_deleted(self):
        before = self.gateway.metric("patchbay_sessions")
        session = self.session()
        self.assertEqual(self.gateway.metric("patchbay_sessions"), before + 1)
        session.delete()
        self.assertEqual(self.gateway.metric("patchbay_sessions"), before)

    def test_protocol_version_header(self):
        session = self.session()
        ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
        bad = session.post(ping, headers={"MCP-Protocol-Version": "1999-01-01"})
        self.assertEqual(bad.status, 400, bad.read())
        bad.read()
        without = session.post(ping, headers={"MCP-Protocol-Version": None})
        self.assertEqual(without.status, 200, without.read())


class Posting(SessionCase):
    def test_accept_is_checked(self):
        table = {
            "application/json, text/event-stream": 200,
            "*/*": 200,
            None: 200,
            "text/event-stream, application/json;q=0.9": 200,
            "application/json": 406,
            "text/event-stream": 406,
            "text/html": 406,
        }
        for accept, status in table.items():
            with self.subTest(accept=accept):
                self.assertEqual(self.post(initialize_message(), Accept=accept).status, status)

    def test_content_type_is_checked(self):
        table = {
            "application/json": 200,
            "application/json; charset=utf-8": 200,
            "Application/JSON": 200,
            "text/plain": 415,
            "application/jsonp": 415,
            None: 415,
            "application/x-www-form-urlencoded": 415,
        }
        for content_type, status in table.items():
            with self.subTest(content_type=content_type):
                response = self.post(initialize_message(), **{"Content-Type": content_type})
                self.assertEqual(response.status, status)

    def test_notifications_and_responses_are_accepted_without_a_body(self):
        session = self.session()
        messages = (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/nobody/knows"},
            {"jsonrpc": "2.0", "id": 77, "result": {}},
            {"jsonrpc": "2.0", "id": "x", "error": {"code": -1, "message": "no"}},
        )
        for message in messages:
            with self.subTest(message=message):
                response = session.post(message)
                self.assertEqual(response.status, 202)
                self.assertEqual(response.read(), b"")

    def test_unknown_method_and_tool(self):
        session = self.session()
        self.assert_error(session.request("no/such"), -32601)
        self.assert_error(session.request("server/discover"), -32601)
        self.assert_error(session.call("fake__nope"), -32602, "not_found")
        self.assert_error(session.call("nobody__echo"), -32602, "not_found")

    def test_bad_call_params(self):
        session = self.session()
        for params in (
            None,
            {},
            {"name": 5},
            {"name": None},
            {"name": "fake__echo", "arguments": []},
            {"name": "fake__echo", "arguments": "x"},
            {"name": ""},
        ):
            with self.subTest(params=params):
                answer = session.request("tools/call", params)
                self.assertIn(answer["error"]["code"], (-32602, -32600), answer)

    def test_ids_come_back_as_they_were(self):
        session = self.session()
        for request_id in (0, 1, -5, 2**53 - 1, "0", "a string", "", 'quo"te', "ü", "x" * 200):
            with self.subTest(request_id=request_id):
                message = {
                    "jsonrpc": "2.0",
                    "id": request_id,
                    "method": "tools/call",
                    "params": {"name": "fake__echo", "arguments": {"text": "x"}},
                }
                answer = answer_from(session.post(message))
                self.assertEqual(answer["id"], request_id)
                self.assertIs(type(answer["id"]), type(request_id))
                self.assertEqual(text_of(answer), "x")

    def test_arguments_and_results_pass_unharmed(self):
        session = self.session()
        text = 'line\nline\r\n\ttab "quote" \\ back \u2028 \u0000 ☃ \U0001f600 data: event: '
        self.assertEqual(text_of(session.call("fake__echo", text=text)), text)
        self.assertEqual(len(text_of(session.call("fake__big", bytes=3_000_000))), 3_000_000)
        large = "y" * 2_000_000
        self.assert_same_text(text_of(session.call("fake__echo", text=large)), large)

    def test_tool_errors_and_protocol_errors_of_the_server_pass(self):
        session = self.session()
        result = result_of(session.call("fake__fail", text="sorry"))
        self.assertTrue(result["isError"])
        self.assertEqual(result["content"][0]["text"], "sorry")
        answer = session.call("fake__rpc_error", code=-32050, text="refused by me")
        self.assertEqual(answer["error"]["code"], -32050)
        self.assertEqual(answer["error"]["message"], "refused by me")
        self.assertEqual(answer["error"]["data"], {"why": "asked"})

    def test_batches_only_where_the_revision_has_them(self):
        batch = [
            {"jsonrpc": "2.0", "id": 10, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}},
            {
                "jsonrpc": "2.0",
                "id": 11,
                "method": "tools/call",
                "params": {"name": "fake__echo", "arguments": {"text": "in a batch"}},
            },
            {"jsonrpc": "2.0", "id": 12, "method": "no/such"},
        ]
        response = self.session("2025-03-26").post(batch)
        self.assertEqual(response.status, 200)
        answers = {answer["id"]: answer for answer in json.loads(response.read())}
        self.assertEqual(set(answers), {10, 11, 12})
        self.assertEqual(text_of(answers[11]), "in a batch")
        self.assert_error(answers[12], -32601)
        for version in ("2025-06-18", "2025-11-25"):
            with self.subTest(version=version):
                response = self.session(version).post(batch)
                self.assertEqual(response.status, 400)
                self.assert_error(json.loads(response.read()), -32600)

    def test_odd_batches(self):
        session = self.session("2025-03-26")
        only_notes = [{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2
        response = session.post(only_notes)
        self.assertEqual((response.status, response.read()), (202, b""))
        response = session.post([])
        self.assertEqual(response.status, 400)
        self.assert_error(json.loads(response.read()), -32600)
        too_many = [{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in range(101)]
        response = session.post(too_many)
        self.assertEqual(response.status, 400, response.read())

    def test_two_calls_with_one_id_do_not_cross(self):
        """The same id twice in flight: one may be refused, but no answer goes to the other."""
        session = self.session()

        def ask(text, seconds):
            message = {
                "jsonrpc": "2.0",
                "id": 5,
                "method": "tools/call",
                "params": {"name": "fake__sleep", "arguments": {"seconds": seconds, "text": text}},
            }
            with self.gateway.connect() as connection:
                return answer_from(session.post(message, connection))

        asked = {
            text: Background(ask, text, seconds) for text, seconds in (("one", 0.6), ("two", 0.3))
        }
        served = 0
        for text, background in asked.items():
            answer = background.result()
            self.assertEqual(answer["id"], 5)
            if "error" in answer:
                self.assertEqual(answer["error"]["code"], -32600)
            else:
                self.assertEqual(text_of(answer), text)
                served += 1
        self.assertGreaterEqual(served, 1)


class Cancelling(SessionCase):
    def seen(self, session, tag):
        return any(
            entry["tag"] == tag and entry["known"]
            for entry in json.loads(text_of(session.call("fake__seen_cancelled")))
        )

    def in_flight(self):
        return self.gateway.metric("patchbay_calls_in_flight")

    def test_a_cancelled_notification_reaches_the_child(self):
        session = self.session()
        before = self.in_flight()
        connection = self.enterContext(self.gateway.connect())
        connection.send(
            "POST",
            "/mcp",
            session.headers(),
            {
                "jsonrpc": "2.0",
                "id": "mine",
                "method": "tools/call",
                "params": {"name": "fake__hang", "arguments": {"tag": "cancel-me"}},
            },
        )
        wait_until(lambda: self.in_flight() == before + 1, "the call to be in flight")
        self.assertEqual(
            session.notify("notifications/cancelled", {"requestId": "mine"}).status, 202
        )
        wait_until(lambda: self.seen(session, "cancel-me"), "the child to see the cancellation")
        wait_until(lambda: self.in_flight() == before, "the call to be over")

    def test_another_session_cannot_cancel(self):
        victim, stranger = self.session(), self.session()
        call = victim.call_later("fake__sleep", seconds=1.5, text="survived")
        wait_until(lambda: self.in_flight() >= 1)
        for request_id in range(5):
            stranger.notify("notifications/cancelled", {"requestId": request_id})
        self.assertEqual(text_of(call.result()), "survived")

    def test_a_client_that_goes_away_does_not_cancel(self):
        session = self.session()
        before = self.gateway.metric("patchbay_calls_total", upstream="fake", outcome="ok")
        with self.gateway.connect() as connection:
            connection.send(
                "POST",
                "/mcp",
                session.headers(),
                {
                    "jsonrpc": "2.0",
                    "id": 50,
                    "method": "tools/call",
                    "params": {"name": "fake__sleep", "arguments": {"seconds": 0.5, "tag": "left"}},
                },
            )
            wait_until(lambda: self.in_flight() >= 1)
        wait_until(
            lambda: (
                self.gateway.metric("patchbay_calls_total", upstream="fake", outcome="ok") > before
            ),
            "the call to end well",
        )
        self.assertFalse(self.seen(session, "left"))


if __name__ == "__main__":
    main()
