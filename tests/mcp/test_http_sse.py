"""MCP over HTTP+SSE, the transport of 2024-11-05: one stream out, posts in."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, TestCase, fake, main, result_of, text_of, wait_until
from items_upstream import items
from sse_client import JSON, SseClient


class Sse(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        upstreams = {"fake": fake(), "one": items("one"), "skills": {"kind": "builtin"}}
        config = {"workers": 2, "upstreams": upstreams}
        cls.gateway = cls.enterClassContext(Gateway(config))

    def test_handshake_list_and_call(self):
        for path in (None, "/mcp/message"):
            with SseClient(self.gateway, path) as client:
                self.assertEqual(client.head.status, 200)
                self.assertEqual(client.initialize()["protocolVersion"], "2024-11-05")
                self.assertEqual(
                    client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status, 202
                )
                names = [tool["name"] for tool in result_of(client.request("tools/list"))["tools"]]
                self.assertIn("skills__calculate", names)
                answer = client.call("skills__calculate", expression="6 * 7")
                self.assertEqual(text_of(answer), "42")
                self.assertEqual(result_of(client.request("ping")), {})
                self.assertEqual(client.request("no/such")["error"]["code"], -32601)

    def test_the_endpoint_is_a_path_of_the_same_origin(self):
        with SseClient(self.gateway) as client:
            self.assertRegex(client.endpoint, r"^/message\?sessionId=[0-9a-f]{50}$")

    def test_two_clients_with_the_same_ids_never_meet(self):
        with SseClient(self.gateway) as one, SseClient(self.gateway) as two:
            one.initialize()
            two.initialize()
            for turn in range(20):
                for name, client in (("one", one), ("two", two)):
                    text = f"{name} {turn}"
                    self.assertEqual(text_of(client.call("fake__echo", text=text)), text)

    def test_progress_and_questions_come_on_the_stream(self):
        with SseClient(self.gateway) as client:
            client.initialize(capabilities={"roots": {}})
            client.call("fake__progress", meta={"progressToken": "p"}, steps=2)
            notified = [other["params"]["progress"] for other in client.others]
            self.assertEqual(notified, [1, 2])
            call = {"name": "one__ask", "arguments": {"method": "roots/list"}}
            client.post({"jsonrpc": "2.0", "id": "q", "method": "tools/call", "params": call})
            question = client.next_message()
            self.assertEqual(question["method"], "roots/list")
            client.post({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
            self.assertEqual(json.loads(text_of(client.next_message())), {"result": {"roots": []}})

    def test_the_session_ends_with_its_stream(self):
        client = SseClient(self.gateway)
        client.initialize()
        hang = {"name": "fake__hang", "arguments": {"tag": "left"}}
        client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": hang})
        client.connection.close()
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        wait_until(lambda: client.post(message).status == 404, "the session to end")
        with SseClient(self.gateway) as other:
            other.initialize()
            wait_until(
                lambda: "left" in text_of(other.call("fake__seen_cancelled")), "the call to be cancelled"
            )

    def test_bad_posts(self):
        with SseClient(self.gateway) as client, self.gateway.connect() as connection:
            body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
            for target, headers, status in (
                ("/message", JSON, 400),
                ("/message?sessionId=", JSON, 400),
                ("/message?sessionId=00" + "0" * 32, JSON, 404),
                ("/message?sessionId=ff" + "0" * 32, JSON, 404),
                ("/message?sessionId=zz", JSON, 404),
                (client.endpoint, {"Content-Type": "text/plain"}, 415),
                (client.endpoint, {**JSON, "Origin": "http://evil.example"}, 403),
            ):
                with self.subTest(target=target), self.gateway.connect() as connection:
                    self.assertEqual(connection.request("POST", target, headers, body).status, status)
            self.assertEqual(client.post(b"{").status, 202)
            self.assertEqual(client.next_message()["error"]["code"], -32700)


if __name__ == "__main__":
    main()
