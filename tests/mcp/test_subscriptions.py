"""Subscriptions to resources: many clients share one subscription to the server, and all are
notified."""

import itertools
import json
import os
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    main,
    result_of,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    wait_until,
)
from items_upstream import items
from sse_client import SseClient

UPDATED = "notifications/resources/updated"


class SubscriptionCase(TestCase):
    def setUp(self):
        super().setUp()
        config = {"workers": 2, "upstreams": {"one": items("one"), "two": items("two")}}
        self.gateway = self.enterContext(Gateway(config))

    def session(self):
        return self.enterContext(McpSession(self.gateway))

    def subscribe(self, session, uri):
        self.assertEqual(result_of(session.request("resources/subscribe", {"uri": uri})), {})

    def unsubscribe(self, session, uri):
        self.assertEqual(result_of(session.request("resources/unsubscribe", {"uri": uri})), {})

    def touched(self, session, upstream="one"):
        """Makes the server notify of everything; returns its subscriptions."""
        return json.loads(text_of(session.call(f"{upstream}__touch")))

    def updates(self, stream, count):
        uris = []
        for event in stream.events():
            message = json.loads(event.data)
            if message["method"] == UPDATED:
                uris.append(message["params"]["uri"])
            if len(uris) == count:
                return uris
        raise AssertionError(f"the stream ended after {uris}")


class Subscriptions(SubscriptionCase):
    def test_each_client_is_notified_under_its_own_names(self):
        first, second = self.session(), self.session()
        streams = [session.open_stream() for session in (first, second)]
        self.subscribe(first, "test://a")
        self.subscribe(first, "two+test://a")
        self.subscribe(second, "test://item/7")
        self.assertEqual(self.touched(first), ["test://a", "test://item/7"])
        self.assertEqual(self.touched(first, "two"), ["test://a"])
        self.assertEqual(self.updates(streams[0], 2), ["test://a", "two+test://a"])
        self.assertEqual(self.updates(streams[1], 1), ["test://item/7"])
        for stream in streams:
            stream.connection.close()

    def test_the_server_is_let_go_after_the_last(self):
        first, second = self.session(), self.session()
        for session in (first, second, first):  # Twice is the same as once.
            self.subscribe(session, "test://a")
        self.unsubscribe(first, "test://a")
        self.unsubscribe(first, "test://a")
        self.assertEqual(self.touched(first), ["test://a"])
        self.unsubscribe(second, "test://a")
        self.assertEqual(self.touched(first), [])

    def test_a_session_that_ends_lets_go(self):
        watcher, leaver = self.session(), self.session()
        self.subscribe(leaver, "test://b")
        self.assertEqual(self.touched(watcher), ["test://b"])
        leaver.delete()
        wait_until(lambda: self.touched(watcher) == [], "the subscription to end")

    def test_an_unknown_resource_is_refused(self):
        session = self.session()
        for uri in ("nope://x", "test://item/8"):
            error = session.request("resources/subscribe", {"uri": uri})["error"]
            self.assertEqual(error["code"], -32002)
        self.assertEqual(self.touched(session), [])

    def test_a_server_that_comes_back_is_subscribed_to_again(self):
        session = self.session()
        self.subscribe(session, "test://c")
        session.call("one__die")
        wait_until(lambda: "result" in session.call("one__log"), "the server to come back")
        self.assertEqual(self.touched(session), ["test://c"])

    def test_over_sse_too(self):
        with SseClient(self.gateway) as client:
            client.initialize()
            self.assertEqual(result_of(client.request("resources/subscribe", {"uri": "test://a"})), {})
            watcher = self.session()
            self.assertEqual(self.touched(watcher), ["test://a"])
            notified = client.next_message()
            self.assertEqual((notified["method"], notified["params"]["uri"]), (UPDATED, "test://a"))
        wait_until(lambda: self.touched(watcher) == [], "the subscription to end")


class Listening(SubscriptionCase):
    """subscriptions/listen, which replaces both in the stateless revision."""

    SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

    def listen(self, request_id="l", **wanted):
        """Opens a stream of notifications: its messages, and the first of them."""
        message = stateless_message("subscriptions/listen", {"notifications": wanted}, request_id)
        connection = self.enterContext(self.gateway.connect())
        connection.send("POST", "/mcp", stateless_headers(message), message)
        response = connection.read_head()
        self.assertEqual(response.content_type, "text/event-stream")
        messages = (json.loads(event.data) for event in response.events() if event.data)
        return messages, next(messages), connection

    def test_the_first_message_lists_the_subscriptions(self):
        _, first, _ = self.listen(
            toolsListChanged=True,
            promptsListChanged=False,
            resourceSubscriptions=["test://a", "nope://x", "two+test://b"],
        )
        self.assertEqual(first["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(
            first["params"]["notifications"],
            {"toolsListChanged": True, "resourceSubscriptions": ["test://a", "two+test://b"]},
        )
        self.assertEqual(first["params"]["_meta"], {self.SUBSCRIPTION: "l"})

    def test_only_requested_notifications_arrive(self):
        messages, _, _ = self.listen(7, promptsListChanged=True, resourceSubscriptions=["test://a"])
        session = self.session()
        self.subscribe(session, "test://b")
        self.touched(session)
        update = next(messages)
        self.assertEqual((update["method"], update["params"]["uri"]), (UPDATED, "test://a"))
        self.assertEqual(update["params"]["_meta"], {self.SUBSCRIPTION: 7})
        session.call("one__grow")
        change = next(messages)
        self.assertEqual(change["method"], "notifications/prompts/list_changed")
        self.assertEqual(change["params"]["_meta"], {self.SUBSCRIPTION: 7})

    def test_closing_it_lets_go(self):
        _, _, connection = self.listen(resourceSubscriptions=["test://a"])
        session = self.session()
        self.assertEqual(self.touched(session), ["test://a"])
        connection.close()
        wait_until(lambda: self.touched(session) == [], "the subscription to end")

    def test_a_gateway_that_stops_ends_the_stream_properly(self):
        messages, _, _ = self.listen("bye", toolsListChanged=True)
        self.gateway.stop()
        last = next(messages)
        self.assertEqual(last["id"], "bye")
        self.assertEqual(
            last["result"], {"resultType": "complete", "_meta": {self.SUBSCRIPTION: "bye"}}
        )

    def test_invalid_filters(self):
        for wanted in (
            None,
            [],
            {"toolsListChanged": 1},
            {"resourceSubscriptions": "test://a"},
            {"resourceSubscriptions": [1]},
        ):
            params = {} if wanted is None else {"notifications": wanted}
            answer = stateless_request(self.gateway, "subscriptions/listen", params)
            self.assertEqual(answer["error"]["code"], -32602, wanted)


class Lines(TestCase):
    def test_listening_on_stdin_and_stdout(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        config = os.path.join(folder, "patchbay.yaml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"upstreams": {"one": items("one")}}, file)
        with StdioFrontend([BINARY, "stdio", "-c", config]) as frontend:
            wanted = {"notifications": {"resourceSubscriptions": ["test://a"]}}
            frontend.send(stateless_message("subscriptions/listen", wanted, 1))
            frontend.stdout.wait_for("acknowledged")
            touch = stateless_message("tools/call", {"name": "one__touch", "arguments": {}}, 2)
            self.assertEqual(json.loads(text_of(frontend.request(touch))), ["test://a"])
            frontend.stdout.wait_for(UPDATED)
            frontend.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})

            def let_go():
                again = stateless_message("tools/call", {"name": "one__touch", "arguments": {}}, next(ids))
                return json.loads(text_of(frontend.request(again))) == []

            ids = itertools.count(10)
            wait_until(let_go, "the subscription to end")
            frontend.send(stateless_message("subscriptions/listen", wanted, 3))
            frontend.stdout.wait_for(lambda line: "acknowledged" in line and ":3}" in line)
            self.assertEqual(frontend.close_stdin(), 0)


if __name__ == "__main__":
    main()
