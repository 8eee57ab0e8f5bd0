"""Server-Sent Events of the session-based revisions: streamed answers, the GET stream, resuming."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
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


class StreamCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config({"fake": fake(timeout="25s")})))

    def session(self, version="2025-11-25"):
        return self.enterContext(McpSession(self.gateway, version))

    def start_call(self, session, tool, request_id=70, meta=None, **arguments):
        """Sends a call on a connection of its own; gives the head of the answer."""
        params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        connection = self.enterContext(self.gateway.connect())
        return session.post(
            {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params},
            connection,
        )


class Answers(StreamCase):
    def test_a_quick_answer_is_json(self):
        response = self.start_call(self.session(), "fake__echo", text="quick")
        self.assertEqual(response.content_type, "application/json")
        self.assertEqual(text_of(answer_from(response)), "quick")

    def test_progress_comes_first_and_in_order(self):
        for token in ("tok", 7, 0, "7"):
            with self.subTest(token=token):
                session = self.session()
                response = self.start_call(
                    session, "fake__progress", meta={"progressToken": token}, steps=5, delay=0.01
                )
                self.assertEqual(response.content_type, "text/event-stream")
                others = []
                self.assertEqual(text_of(answer_from(response, others)), "done")
                self.assertEqual(
                    [note["method"] for note in others], ["notifications/progress"] * 5
                )
                self.assertEqual([note["params"]["progress"] for note in others], [1, 2, 3, 4, 5])
                for note in others:
                    self.assertEqual(note["params"]["progressToken"], token)
                    self.assertIs(type(note["params"]["progressToken"]), type(token))

    def test_equal_tokens_of_two_clients_do_not_mix(self):
        first, second = self.session(), self.session()
        one = self.start_call(
            first, "fake__progress", meta={"progressToken": 1}, steps=3, delay=0.05
        )
        two = self.start_call(
            second, "fake__progress", meta={"progressToken": 1}, steps=6, delay=0.02
        )
        for response, steps in ((one, 3), (two, 6)):
            others = []
            answer_from(response, others)
            self.assertEqual(
                [note["params"]["progress"] for note in others], list(range(1, steps + 1))
            )
            self.assertEqual({note["params"]["total"] for note in others}, {steps})

    def test_no_token_no_progress(self):
        others = []
        answer_from(self.start_call(self.session(), "fake__progress", steps=3), others)
        self.assertEqual(others, [])

    def test_a_long_call_becomes_a_stream_with_a_priming_event(self):
        response = self.start_call(self.session(), "fake__sleep", seconds=1.6, text="long")
        self.assertEqual((response.status, response.content_type), (200, "text/event-stream"))
        events = list(response.events())
        self.assertTrue(events[0].id)
        self.assertFalse(events[0].data)
        self.assertEqual(text_of(events[-1].json()), "long")
        ids = [event.id for event in events if event.id]
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_newline_in_an_answer_cannot_forge_an_event(self):
        text = "one\n\ndata: forged\nid: 5\n\nevent: x\r\rdata: y"
        response = self.start_call(self.session(), "fake__sleep", seconds=1.5, text=text)
        self.assertEqual(response.content_type, "text/event-stream")
        self.assertEqual(text_of(answer_from(response)), text)


class GetStream(StreamCase):
    def open(self, session, **settings):
        response = session.open_stream(**settings)
        self.addCleanup(response.connection.close)
        self.assertEqual((response.status, response.content_type), (200, "text/event-stream"))
        return response

    def next_message(self, events):
        for event in events:
            if event.data:
                return event, event.json()
        raise AssertionError("the stream ended")

    def test_accept_is_checked(self):
        session = self.session()
        for accept, status in (("application/json", 406), ("text/html", 406)):
            with self.gateway.connect() as connection:
                headers = {"Accept": accept, "Mcp-Session-Id": session.id}
                self.assertEqual(connection.request("GET", "/mcp", headers).status, status)

    def test_list_changed_arrives_there(self):
        session = self.session()
        self.assertTrue(session.handshake["capabilities"]["tools"]["listChanged"])
        events = self.open(session).events()
        session.call("fake__list_changed", name="fresh_one")
        _, message = self.next_message(events)
        self.assertEqual(message["method"], "notifications/tools/list_changed")
        self.assertNotIn("id", message)
        wait_until(lambda: "fake__fresh_one" in session.tool_names(), "the new tool in the list")
        self.assertEqual(text_of(session.call("fake__fresh_one", text="I am new")), "I am new")

    def test_the_newest_stream_replaces_the_older(self):
        session = self.session()
        older = self.open(session)
        newer = self.open(session)
        for event in older.events():  # Ends, and carried no message.
            self.assertFalse(event.data)
        session.call("fake__list_changed", name="for_the_newer")
        _, message = self.next_message(newer.events())
        self.assertEqual(message["method"], "notifications/tools/list_changed")

    def test_it_ends_with_the_session(self):
        session = self.session()
        stream = self.open(session)
        self.assertIn(session.delete().status, (200, 204))
        self.assertEqual([event for event in stream.events() if event.data], [])

    def test_resuming_replays_what_came_after(self):
        session = self.session()
        stream = self.open(session)
        events = stream.events()
        session.call("fake__list_changed", name="first_change")
        seen, _ = self.next_message(events)
        self.assertTrue(seen.id)
        stream.connection.reset()
        session.call("fake__list_changed", name="second_change")
        wait_until(lambda: "fake__second_change" in session.tool_names())
        again = self.open(session, last_event_id=seen.id)
        event, message = self.next_message(again.events())
        self.assertEqual(message["method"], "notifications/tools/list_changed")
        self.assertNotEqual(event.id, seen.id)


class Resuming(StreamCase):
    def test_a_broken_answer_stream_is_resumed_by_get(self):
        for version in ("2025-06-18", "2025-11-25"):
            with self.subTest(version=version):
                session = self.session(version)
                response = self.start_call(
                    session,
                    "fake__progress",
                    request_id=71,
                    meta={"progressToken": "p"},
                    steps=8,
                    delay=0.2,
                )
                seen = []
                for event in response.events():
                    if event.data:
                        seen.append(event)
                    if len(seen) == 2:
                        break
                response.connection.reset()
                again = session.open_stream(last_event_id=seen[-1].id)
                self.addCleanup(again.connection.close)
                self.assertEqual(again.status, 200)
                steps, answer = [], None
                for event in again.events():
                    message = event.json() if event.data else None
                    if message and "method" in message:
                        steps.append(message["params"]["progress"])
                    elif message:
                        answer = message
                        break
                self.assertEqual(steps, [3, 4, 5, 6, 7, 8])
                self.assertEqual(answer["id"], 71)
                self.assertEqual(text_of(answer), "done")

    def test_an_answer_without_a_listener_is_stored(self):
        session = self.session()
        response = self.start_call(
            session,
            "fake__progress",
            request_id=72,
            meta={"progressToken": "q"},
            steps=2,
            delay=0.3,
        )
        first = next(event for event in response.events() if event.data)
        before = self.gateway.metric("patchbay_calls_total", upstream="fake", outcome="ok")
        response.connection.reset()
        wait_until(
            lambda: (
                self.gateway.metric("patchbay_calls_total", upstream="fake", outcome="ok") > before
            ),
            "the call to end",
        )
        again = session.open_stream(last_event_id=first.id)
        self.addCleanup(again.connection.close)
        for event in again.events():
            message = event.json() if event.data else {}
            if message.get("id") == 72:
                self.assertEqual(text_of(message), "done")
                break
        else:
            self.fail("the answer was not replayed")

    def test_only_the_named_stream_is_replayed(self):
        """Two calls stream; resuming one never replays messages of the other."""
        session = self.session()
        one = self.start_call(
            session, "fake__progress", 81, {"progressToken": "one"}, steps=4, delay=0.2
        )
        two = self.start_call(
            session, "fake__progress", 82, {"progressToken": "two"}, steps=4, delay=0.2
        )
        first = next(event for event in one.events() if event.data)
        one.connection.reset()
        again = session.open_stream(last_event_id=first.id)
        self.addCleanup(again.connection.close)
        for event in again.events():
            message = event.json() if event.data else {}
            if "method" in message:
                self.assertEqual(message["params"]["progressToken"], "one")
            elif message:
                self.assertEqual(message["id"], 81)
                break
        self.assertEqual(answer_from(two)["id"], 82)

    def test_another_session_cannot_resume(self):
        owner, thief = self.session(), self.session()
        response = self.start_call(
            owner, "fake__progress", 90, {"progressToken": "secret"}, steps=2, delay=0.2
        )
        first = next(event for event in response.events() if event.data)
        response.connection.reset()
        stolen = thief.open_stream(last_event_id=first.id)
        self.addCleanup(stolen.connection.close)
        if stolen.status == 200:
            thief.call("fake__list_changed", name="wake_the_thief")
            for event in stolen.events():
                if event.data:
                    self.assertNotIn("secret", event.data)
                    self.assertEqual(event.json()["method"], "notifications/tools/list_changed")
                    break
        else:
            self.assertIn(stolen.status, (400, 404))

    def test_rubbish_event_ids_do_no_harm(self):
        session = self.session()
        for rubbish in ("nonsense", "0", "-1", "99999999999999999999", "a-b-c", "1_1_1"):
            with self.subTest(rubbish=rubbish):
                response = session.open_stream(last_event_id=rubbish)
                self.assertIn(response.status, (200, 400, 404))
                response.connection.close()
        self.assertEqual(json.dumps(result_of(session.request("ping"))), "{}")


if __name__ == "__main__":
    main()
