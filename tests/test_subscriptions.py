"""Subscriptions to resources: many clients, one subscription to the server, all told."""

import json

from harness import Gateway, LegacySession, TestCase, main, result_of, text_of, wait_until
from test_http_sse import SseClient
from test_items import items

UPDATED = "notifications/resources/updated"


class Subscriptions(TestCase):
    def setUp(self):
        super().setUp()
        config = {"workers": 2, "upstreams": {"one": items("one"), "two": items("two")}}
        self.gateway = self.enterContext(Gateway(config))

    def session(self):
        return self.enterContext(LegacySession(self.gateway))

    def subscribe(self, session, uri):
        self.assertEqual(result_of(session.request("resources/subscribe", {"uri": uri})), {})

    def unsubscribe(self, session, uri):
        self.assertEqual(result_of(session.request("resources/unsubscribe", {"uri": uri})), {})

    def touched(self, session, upstream="one"):
        """Has the server tell of everything; what it is subscribed to."""
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

    def test_each_client_hears_of_what_it_wants_under_its_name(self):
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
            told = client.next_message()
            self.assertEqual((told["method"], told["params"]["uri"]), (UPDATED, "test://a"))
        wait_until(lambda: self.touched(watcher) == [], "the subscription to end")


if __name__ == "__main__":
    main()
