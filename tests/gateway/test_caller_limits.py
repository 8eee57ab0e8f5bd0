"""Limits of one caller on shared resources: sessions, streams, WebSockets, connections, calls."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS, bearer
from conformance import fixture_upstream
from harness import (
    BOTH,
    Gateway,
    McpSession,
    TestCase,
    fake_config,
    main,
    result_of,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    wait_until,
)
from wire_case import WireCase
from wire_client import rpc
from ws_client import Refused, WsClient

LEAST = 16  # A share by default: a quarter of the total, and at least this.
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
FIELDS = {"Accept": BOTH, "Content-Type": "application/json"}


class ShareCase(TestCase):
    def initialize(self, gateway, headers=None):
        with gateway.connect() as connection:
            return connection.request("POST", "/mcp", {**FIELDS, **(headers or {})}, INITIALIZE)

    def assert_share_refused(self, response, setting):
        self.assertEqual(response.status, 429, response.body)
        error = response.json()["error"]
        self.assertEqual(error["code"], -32029)
        self.assertIn(setting, error["message"])
        self.assertGreater(int(response.header("retry-after")), 0)


class Sessions(ShareCase):
    def test_one_caller_does_not_take_all(self):
        with Gateway({"auth": TOKENS, "limits": {"max_sessions": 4 * LEAST}}) as gateway:
            opened = [self.initialize(gateway, bearer()) for _ in range(LEAST)]
            self.assertEqual({answer.status for answer in opened}, {200})
            refused = self.initialize(gateway, bearer())
            self.assert_share_refused(refused, "limits.max_sessions_per_caller")
            self.assertEqual(self.initialize(gateway, bearer(OTHER)).status, 200)
            one = {**bearer(), "Mcp-Session-Id": opened[0].header("mcp-session-id")}
            with gateway.connect() as connection:
                self.assertEqual(connection.request("DELETE", "/mcp", one).status, 204)
            self.assertEqual(self.initialize(gateway, bearer()).status, 200)

    def test_declared_limits_apply_and_a_reload_changes_them(self):
        config = {"auth": TOKENS, "limits": {"max_sessions_per_caller": 2}}
        with Gateway(config) as gateway:
            for _ in range(2):
                self.assertEqual(self.initialize(gateway, bearer()).status, 200)
            self.assertEqual(self.initialize(gateway, bearer()).status, 429)
            gateway.write_config({"auth": TOKENS, "limits": {"max_sessions_per_caller": 3}})
            gateway.stderr.wait_for("reloaded")
            self.assertEqual(self.initialize(gateway, bearer()).status, 200)
            self.assertEqual(self.initialize(gateway, bearer()).status, 429)

    def test_the_one_user_of_this_machine_has_them_all(self):
        with Gateway(fake_config(limits={"max_sessions": LEAST + 2})) as gateway:
            for _ in range(LEAST + 2):
                self.assertEqual(self.initialize(gateway).status, 200)
            full = self.initialize(gateway)
            self.assertEqual(full.status, 503)
            self.assertIn("limits.max_sessions", full.json()["error"]["message"])

    def test_initialize_counts_in_rate_rows(self):
        row = {"per": "principal", "max_calls": 2, "window": "1h"}
        with Gateway(fake_config(limits={"rates": [row]})) as gateway:
            for _ in range(2):
                self.assertEqual(self.initialize(gateway).status, 200)
            refused = self.initialize(gateway)
            self.assertEqual(refused.status, 429)
            self.assert_error(refused.json(), -32029, "rate_limited")
            self.assertGreater(int(refused.header("retry-after")), 1000)


class Connections(ShareCase):
    def test_streams(self):
        message = stateless_message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        with Gateway({"auth": TOKENS, "limits": {"max_connections": 4 * LEAST}}) as gateway:

            def listen(token=TOKEN):
                connection = self.enterContext(gateway.connect())
                connection.send("POST", "/mcp", {**stateless_headers(message), **bearer(token)}, message)
                return connection.read_head()

            heads = [listen() for _ in range(LEAST)]
            self.assertEqual({head.status for head in heads}, {200})
            refused = listen()
            self.assertEqual(refused.status, 429)
            refused.read()
            self.assert_share_refused(refused, "limits.max_streams_per_caller")
            self.assertEqual(listen(OTHER).status, 200)
            with McpSession(gateway, headers=bearer()) as session:
                self.assertEqual(session.open_stream().status, 429)
            with gateway.connect() as connection:
                old = connection.request("GET", "/sse", bearer())
                self.assertEqual(old.status, 429)
                self.assertIn("limits.max_streams_per_caller", old.json()["error"])
            heads[0].connection.close()

            def again():
                head = listen()
                head.connection.close()
                return head.status == 200

            wait_until(again, "the place of the stream that ended")

    def test_websockets(self):
        with Gateway({"auth": TOKENS, "limits": {"max_connections": 4 * LEAST}}) as gateway:
            for _ in range(LEAST):
                self.enterContext(WsClient(gateway.port, bearer()))
            with self.assertRaises(Refused) as caught:
                WsClient(gateway.port, bearer())
            status, headers, body = caught.exception.args
            self.assertEqual(status, 429)
            self.assertIn("limits.max_websockets_per_caller", body)
            self.enterContext(WsClient(gateway.port, bearer(OTHER)))

    def test_an_address(self):
        with Gateway(fake_config(workers=1, limits={"max_connections_per_address": 4})) as gateway:
            open_now = [self.enterContext(gateway.connect()) for _ in range(4)]
            for connection in open_now:
                self.assertEqual(connection.request("GET", "/health").status, 200)
            refused = gateway.get("/health")
            self.assertEqual(refused.status, 429)
            self.assertIn("limits.max_connections_per_address", refused.json()["error"])
            open_now[0].close()

            def again():
                return gateway.get("/health").status == 200

            wait_until(again, "a place to be free again")


class Wire(WireCase):
    def test_connections_of_a_caller(self):
        gateway = self.start({"auth": TOKENS, "limits": {"max_websockets_per_caller": 2}})
        for _ in range(2):
            self.assertEqual(self.client(gateway).result(rpc("ping"), auth_token=TOKEN), {})
        error = self.client(gateway).refusal(rpc("ping"), auth_token=TOKEN)
        self.assertEqual(error["code"], "RATE_LIMIT_EXCEEDED")
        self.assertIn("limits.max_websockets_per_caller", error["message"])
        self.assertEqual(self.client(gateway).result(rpc("ping"), auth_token=OTHER), {})


class ParkedCalls(TestCase):
    ABLE = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}

    def call(self, gateway):
        params = {"name": "test_input_required_result_elicitation", "arguments": {}}
        return stateless_request(gateway, "tools/call", params, 0, self.ABLE)

    def test_calls_that_wait_for_answers(self):
        upstream = fixture_upstream("--revisions", "2025-11-25")
        config = {"workers": 1, "names": {"prefix": "never"}, "upstreams": {"far": upstream}}
        with Gateway({**config, "limits": {"max_parked_per_caller": 2}}) as gateway:
            for _ in range(2):
                self.assertEqual(result_of(self.call(gateway))["resultType"], "input_required")
            answer = json.dumps(self.call(gateway))
            self.assertNotIn("input_required", answer)
            self.assertIn("limits.max_parked_per_caller", answer)


class PrivateConnections(TestCase):
    def test_one_caller_does_not_take_all(self):
        upstream = dict(fake_config()["upstreams"]["fake"], isolation="per-session", max_isolated_connections=8)
        with Gateway({"auth": TOKENS, "upstreams": {"fake": upstream}}) as gateway:
            for _ in range(2):
                session = self.enterContext(McpSession(gateway, headers=bearer()))
                self.assertEqual(text_of(session.call("fake__echo", text="x")), "x")
            session = self.enterContext(McpSession(gateway, headers=bearer()))
            refused = json.dumps(session.call("fake__echo", text="x"))
            self.assertIn("max_isolated_connections_per_caller", refused)
            other = self.enterContext(McpSession(gateway, headers=bearer(OTHER)))
            self.assertEqual(text_of(other.call("fake__echo", text="x")), "x")


main()
