"""MCP 2026-07-28 over HTTP: stateless requests with an envelope, on the same URL as the others."""

import base64
import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BOTH,
    STATELESS,
    Gateway,
    McpSession,
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
    stateless_request,
    text_of,
    wait_until,
)

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
SERVER = "io.modelcontextprotocol/serverInfo"


class StatelessCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config({"fake": fake(timeout="20s")})))

    def refused(self, message, status, code, **headers):
        """POSTs and expects this status with this JSON-RPC error, under the id of the request."""
        response = stateless_post(self.gateway, message, headers)
        self.assertEqual(response.status, status, response.body)
        answer = response.json()
        self.assert_error(answer, code)
        self.assertEqual(answer.get("id"), message.get("id"))
        self.assertIsNone(response.header("mcp-session-id"))
        return answer["error"]

    def echo(self, **meta):
        return stateless_message(
            "tools/call", {"name": "fake__echo", "arguments": {"text": "x"}}, 3, meta
        )


class Methods(StatelessCase):
    def test_discover(self):
        result = result_of(stateless_request(self.gateway, "server/discover"))
        self.assertEqual(result["resultType"], "complete")
        self.assertIn(STATELESS, result["supportedVersions"])
        self.assertIn("tools", result["capabilities"])
        self.assertIsInstance(result["ttlMs"], int)
        self.assertIn(result["cacheScope"], ("public", "private"))
        self.assertEqual(result["_meta"][SERVER]["name"], "patchbay")

    def test_list(self):
        result = result_of(stateless_request(self.gateway, "tools/list"))
        self.assertEqual(result["resultType"], "complete")
        self.assertGreaterEqual(result["ttlMs"], 0)
        self.assertIn(result["cacheScope"], ("public", "private"))
        self.assertIn("fake__echo", [tool["name"] for tool in result["tools"]])

    def test_call(self):
        answer = stateless_call(self.gateway, "fake__echo", text="stateless ☃")
        self.assertEqual(text_of(answer), "stateless ☃")
        self.assertEqual(answer["result"]["resultType"], "complete")
        failed = result_of(stateless_call(self.gateway, "fake__fail", text="sorry"))
        self.assertTrue(failed["isError"])
        self.assertEqual(failed["resultType"], "complete")

    def test_no_session_is_minted_or_needed(self):
        for headers in ({}, {"Mcp-Session-Id": "whatever"}, {"Last-Event-ID": "5"}):
            response = stateless_post(self.gateway, self.echo(), headers)
            self.assertEqual(response.status, 200)
            self.assertIsNone(response.header("mcp-session-id"))

    def test_client_info_is_optional(self):
        self.assertEqual(stateless_post(self.gateway, self.echo(**{CLIENT: None})).status, 200)

    def test_progress_travels_on_the_answer_stream(self):
        others = []
        answer = stateless_call(
            self.gateway, "fake__progress", {"progressToken": "t"}, others, steps=4, delay=0.01
        )
        self.assertEqual(text_of(answer), "done")
        self.assertEqual([note["params"]["progress"] for note in others], [1, 2, 3, 4])
        self.assertEqual({note["params"]["progressToken"] for note in others}, {"t"})

    def test_a_long_call_streams(self):
        message = stateless_message(
            "tools/call", {"name": "fake__sleep", "arguments": {"seconds": 1.6, "text": "long"}}, 8
        )
        with self.gateway.connect() as connection:
            connection.send("POST", "/mcp", stateless_headers(message), message)
            response = connection.read_head()
            self.assertEqual(response.content_type, "text/event-stream")
            answer = answer_from(response)
            self.assertEqual((answer["id"], text_of(answer)), (8, "long"))
            # The connection is good for the next request.
            message = self.echo()
            connection.send("POST", "/mcp", stateless_headers(message), message)
            self.assertEqual(text_of(answer_from(connection.read_head())), "x")

    def test_the_envelope_does_not_reach_the_child(self):
        seen = json.loads(
            text_of(stateless_call(self.gateway, "fake__echo_meta", {"traceparent": "00-ab"}))
        )
        self.assertNotIn(VERSION, seen)
        self.assertNotIn(CAPABILITIES, seen)

    def test_notifications_are_accepted(self):
        message = {"jsonrpc": "2.0", "method": "notifications/something"}
        headers = {
            "Accept": BOTH,
            "Content-Type": "application/json",
            "MCP-Protocol-Version": STATELESS,
        }
        with self.gateway.connect() as connection:
            response = connection.request("POST", "/mcp", headers, message)
            self.assertEqual((response.status, response.body), (202, b""))

    def test_a_response_is_refused(self):
        """The gateway asks a stateless client in its results: there is nothing to respond to."""
        headers = {"Accept": BOTH, "Content-Type": "application/json", "MCP-Protocol-Version": STATELESS}
        for outcome in ({"result": {}}, {"error": {"code": -1, "message": "no"}}):
            message = {"jsonrpc": "2.0", "id": "patchbay-0-1", **outcome}
            with self.subTest(message=message), self.gateway.connect() as connection:
                response = connection.request("POST", "/mcp", headers, message)
                self.assertEqual(response.status, 400)
                answer = response.json()
                self.assert_error(answer, -32600, "invalid_request")
                self.assertNotIn("id", answer)

    def test_upstream_error_passes_in_band(self):
        # Codes from -32020 to -32099 have a meaning of their own in this revision.
        for code, seen in ((-32010, -32010), (-32050, -32603)):
            message = stateless_message(
                "tools/call", {"name": "fake__rpc_error", "arguments": {"code": code}}
            )
            response = stateless_post(self.gateway, message)
            self.assertEqual(response.status, 200)
            self.assertEqual(response.json()["error"]["code"], seen)


class Refusals(StatelessCase):
    def test_missing_envelope_keys(self):
        for key in (VERSION, CAPABILITIES):
            with self.subTest(key=key):
                self.refused(self.echo(**{key: None}), 400, -32602)
        bare = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}
        self.refused(bare, 400, -32602)
        self.refused({**bare, "params": {}}, 400, -32602)
        self.refused({**bare, "params": {"_meta": {}}}, 400, -32602)

    def test_an_id_that_cannot_be_read_is_left_out(self):
        for version, expected in ((STATELESS, {"jsonrpc", "error"}), (None, {"jsonrpc", "error", "id"})):
            headers = stateless_headers({"method": "tools/list"})
            headers["MCP-Protocol-Version"] = version
            with self.gateway.connect() as connection:
                response = connection.request("POST", "/mcp", headers, b"{")
            self.assertEqual(response.status, 400)
            self.assertEqual(set(json.loads(response.body)), expected)

    def test_malformed_envelope_values(self):
        for key, value in (
            (VERSION, 5),
            (VERSION, ["2026-07-28"]),
            (CAPABILITIES, "x"),
            (CAPABILITIES, []),
            (CAPABILITIES, 1),
        ):
            with self.subTest(key=key, value=value):
                response = stateless_post(self.gateway, self.echo(**{key: value}))
                self.assertEqual(response.status, 400, response.body)
                self.assertIn(response.json()["error"]["code"], (-32602, -32020))

    def test_header_that_differs_from_the_body(self):
        for headers in (
            {"MCP-Protocol-Version": "2025-11-25"},
            {"Mcp-Method": "tools/list"},
            {"Mcp-Name": "fake__add"},
            {"Mcp-Name": "FAKE__ECHO"},
            {"Mcp-Method": "TOOLS/CALL"},
        ):
            with self.subTest(headers=headers):
                self.refused(self.echo(), 400, -32020, **headers)

    def test_missing_headers(self):
        for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
            with self.subTest(name=name):
                self.refused(self.echo(), 400, -32020, **{name: None})

    def test_name_in_base64_is_decoded_before_it_is_compared(self):
        encoded = f"=?base64?{base64.b64encode(b'fake__echo').decode()}?="
        self.assertEqual(stateless_post(self.gateway, self.echo(), {"Mcp-Name": encoded}).status, 200)
        other = f"=?base64?{base64.b64encode(b'fake__add').decode()}?="
        self.refused(self.echo(), 400, -32020, **{"Mcp-Name": other})

    def test_blanks_around_header_values_do_not_matter(self):
        response = stateless_post(self.gateway, self.echo(), {"Mcp-Name": "  fake__echo  "})
        self.assertEqual(response.status, 200)

    def test_unknown_version(self):
        error = self.refused(
            self.echo(**{VERSION: "2099-01-01"}),
            400,
            -32022,
            **{"MCP-Protocol-Version": "2099-01-01"},
        )
        self.assertEqual(error["data"]["requested"], "2099-01-01")
        self.assertIn(STATELESS, error["data"]["supported"])

    def test_unknown_and_removed_methods(self):
        for method in ("no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe"):
            with self.subTest(method=method):
                self.refused(stateless_message(method, request_id=3), 404, -32601)

    def test_unknown_tool_is_in_band(self):
        for name in ("fake__nope", "nobody__echo"):
            message = stateless_message("tools/call", {"name": name, "arguments": {}}, 3)
            self.refused(message, 200, -32602)

    def test_batches_are_refused(self):
        batch = [self.echo()]
        with self.gateway.connect() as connection:
            response = connection.request("POST", "/mcp", stateless_headers(batch[0]), batch)
            self.assertEqual(response.status, 400)
            self.assert_error(response.json(), -32600)

    def test_a_stateless_element_in_a_session_batch_is_refused(self):
        with McpSession(self.gateway, "2025-03-26") as session:
            response = session.post([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, self.echo()])
            self.assertEqual(response.status, 400)
            self.assert_error(json.loads(response.read()), -32600)

    def test_accept_and_content_type(self):
        for headers, status in (
            ({"Accept": "application/json"}, 406),
            ({"Accept": "*/*"}, 200),
            ({"Content-Type": "text/plain"}, 415),
        ):
            with self.subTest(headers=headers):
                self.assertEqual(stateless_post(self.gateway, self.echo(), headers).status, status)

    def test_get_and_delete_have_no_stateless_meaning(self):
        for method in ("GET", "DELETE"):
            with self.gateway.connect() as connection:
                headers = {"MCP-Protocol-Version": STATELESS, "Accept": "text/event-stream"}
                self.assertIn(connection.request(method, "/mcp", headers).status, (400, 405))


class Closing(StatelessCase):
    def test_closing_the_connection_cancels_the_call(self):
        for end in ("close", "reset"):
            with self.subTest(end=end):
                before = self.gateway.metric("patchbay_calls_in_flight")
                connection = self.gateway.connect()
                message = stateless_message(
                    "tools/call", {"name": "fake__hang", "arguments": {"tag": end}}
                )
                connection.send("POST", "/mcp", stateless_headers(message), message)
                wait_until(
                    lambda: self.gateway.metric("patchbay_calls_in_flight") == before + 1,
                    "the call to be in flight",
                )
                getattr(connection, end)()
                wait_until(
                    lambda: any(
                        entry["tag"] == end and entry["known"]
                        for entry in json.loads(
                            text_of(stateless_call(self.gateway, "fake__seen_cancelled"))
                        )
                    ),
                    "the cancellation",
                )
                wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == before)

    def test_closing_during_a_stream_cancels_too(self):
        message = stateless_message(
            "tools/call",
            {
                "name": "fake__progress",
                "arguments": {"steps": 1000, "delay": 0.05, "tag": "streaming"},
            },
            meta={"progressToken": 1},
        )
        connection = self.gateway.connect()
        connection.send("POST", "/mcp", stateless_headers(message), message)
        next(event for event in connection.read_head().events() if event.data)
        connection.close()
        wait_until(
            lambda: any(
                entry["tag"] == "streaming"
                for entry in json.loads(text_of(stateless_call(self.gateway, "fake__seen_cancelled")))
            ),
            "the cancellation",
        )


class SideBySide(StatelessCase):
    def test_both_protocols_on_one_connection(self):
        with McpSession(self.gateway) as session:
            for turn in range(3):
                self.assertEqual(
                    text_of(session.call("fake__echo", text=f"old {turn}")), f"old {turn}"
                )
                message = self.echo()
                session.connection.send("POST", "/mcp", stateless_headers(message), message)
                response = session.connection.read_head()
                self.assertIsNone(response.header("mcp-session-id"))
                self.assertEqual(result_of(answer_from(response))["resultType"], "complete")


if __name__ == "__main__":
    main()
