"""Sessions go on after a restart of the gateway: with the same id, the same caller, what the client has
set; and those that have ended stay ended."""

import contextlib
import json
import sqlite3
import sys
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS, bearer
from harness import (
    SESSION_VERSIONS,
    Background,
    McpSession,
    fake,
    main,
    result_of,
    run,
    text_of,
    wait_until,
)
from items_upstream import items
from restart_case import RestartCase

UPDATED = "notifications/resources/updated"
PING = {"jsonrpc": "2.0", "id": 99, "method": "ping"}
OLD, NEW = "old " * 8, "new " * 8


class SessionCase(RestartCase):
    def config(self, upstreams=None, **settings):
        return super().config(upstreams or {"fake": fake()}, **settings)

    def session(self, gateway, version="2025-11-25", **options):
        return self.enterContext(McpSession(gateway, version, **options))

    def status(self, session, **headers):
        response = session.post(PING, headers=headers)
        response.read()
        return response.status

    def assert_goes_on(self, session):
        self.assertEqual(text_of(session.call("echo", text="again")), "again")

    def assert_ended(self, session):
        self.assertEqual(self.status(session), 404)


class Restarts(SessionCase):
    def test_sessions_of_each_revision_go_on_after_each_kind_of_end(self):
        config = self.config()
        gateway = self.start(config)
        sessions = [self.session(gateway, version) for version in SESSION_VERSIONS]
        for kill in (False, True):
            gateway = self.restart(gateway, config, *sessions, kill=kill)
            for session in sessions:
                with self.subTest(kill=kill, version=session.version):
                    self.assert_goes_on(session)
                    self.assertIn("echo", session.tool_names())
            self.assertEqual(gateway.metric("patchbay_sessions"), len(SESSION_VERSIONS))

    def test_the_client_is_as_it_was(self):
        config = self.config({"far": fake()}, log={"level": "info"})
        gateway = self.start(config)
        session = self.session(gateway, capabilities={"elicitation": {}, "experimental": {"x": {}}})
        gateway = self.restart(gateway, config, session)
        self.assert_goes_on(session)
        line = gateway.stderr.wait_for(" call ")
        self.assertIn('client="tests 1"', line)
        clients = gateway.get("/control/v1/clients").json()["clients"]
        self.assertEqual([client["kind"] for client in clients], ["session"])

    def test_a_session_that_was_deleted_stays_ended(self):
        config = self.config()
        gateway = self.start(config)
        ended, other = self.session(gateway), self.session(gateway)
        ended.delete()
        for kill in (True, False):
            gateway = self.restart(gateway, config, ended, other, kill=kill)
            self.assert_ended(ended)
            self.assert_goes_on(other)
        # One that goes on and then ends, too.
        other.delete()
        self.assert_ended(other)
        self.restart(gateway, config, ended, other)
        self.assert_ended(ended)
        self.assert_ended(other)

    def test_a_session_that_was_idle_for_too_long_stays_ended(self):
        config = self.config(limits={"session_idle_timeout": "1s"})
        gateway = self.start(config)
        session = self.session(gateway)
        wait_until(lambda: gateway.metric("patchbay_sessions") == 0, "the session to expire")
        self.restart(gateway, config, session)
        self.assert_ended(session)

    def test_a_session_that_an_admin_has_ended_stays_ended(self):
        config = self.config()
        gateway = self.start(config)
        session = self.session(gateway)
        (client,) = gateway.get("/control/v1/clients").json()["clients"]
        with gateway.connect() as connection:
            path = f"/control/v1/clients/{client['id']}"
            self.assertIn(connection.request("DELETE", path, {}).status, (200, 202, 204))
        wait_until(lambda: gateway.metric("patchbay_sessions") == 0, "the session to end")
        self.restart(gateway, config, session)
        self.assert_ended(session)

    def test_a_session_that_is_too_old_does_not_go_on(self):
        config = self.config(limits={"max_session_age": "1s"})
        gateway = self.start(config)
        session, begun = self.session(gateway), time.time()
        wait_until(lambda: time.time() > begun + 1, "a second to pass")
        self.assert_goes_on(session)  # Where it is known, its age does not matter.
        self.restart(gateway, config, session)
        self.assert_ended(session)

    def test_without_a_state_folder_it_does_not_go_on(self):
        for cluster in ({}, {"cluster": {"keys": [OLD]}}):
            with self.subTest(cluster):
                config = self.config(state="", **cluster)
                gateway = self.start(config)
                session = self.session(gateway)
                self.restart(gateway, config, session)
                self.assert_ended(session)


class Ids(SessionCase):
    def test_another_caller_cannot_use_it(self):
        config = self.config({"fake": fake(isolation="shared")}, auth=TOKENS)
        gateway = self.start(config)
        session = self.session(gateway, headers=bearer(TOKEN))
        gateway = self.restart(gateway, config, session)
        self.assertEqual(self.status(session, **bearer(OTHER)), 404)
        self.assertEqual(gateway.metric("patchbay_sessions", **{}), 0)
        self.assertEqual(self.status(session), 200)
        self.assertEqual(self.status(session, **bearer(OTHER)), 404)

    def test_forged_and_cut_ids_are_unknown(self):
        config = self.config()
        gateway = self.start(config)
        session = self.session(gateway)
        good = session.id
        gateway = self.restart(gateway, config, session)
        changed = ["B" if c == "A" else "A" for c in good]
        forged = [good[:at] + changed[at] + good[at + 1 :] for at in range(0, len(good), 7)]
        forged += [good[:-1], good[:4], good + "A", good[4:], "A" * len(good), good.lower()]
        for one in forged:
            with self.subTest(one):
                self.assertEqual(self.status(session, **{"Mcp-Session-Id": one}), 404)
        self.assertEqual(gateway.metric("patchbay_sessions"), 0)
        self.assert_goes_on(session)

    def test_ids_open_as_long_as_their_key_is_there(self):
        def with_keys(*keys):
            return self.config(cluster={"keys": list(keys)})

        gateway = self.start(with_keys(OLD))
        old, late = self.session(gateway), self.session(gateway)
        self.reload(gateway, with_keys(NEW, OLD))
        new = self.session(gateway)
        gateway = self.restart(gateway, with_keys(NEW, OLD), old, late, new)
        self.assert_goes_on(old)
        self.assert_goes_on(new)
        self.reload(gateway, with_keys(NEW))
        self.assert_goes_on(old)  # It is known already.
        self.assert_ended(late)
        self.restart(gateway, with_keys(NEW), old, new)
        self.assert_ended(old)
        self.assert_goes_on(new)


class Races(SessionCase):
    def test_requests_at_once_on_many_workers_make_one_session(self):
        config = self.config(workers=4)
        gateway = self.start(config)
        session = self.session(gateway)
        gateway = self.restart(gateway, config, session)

        def ask():
            with gateway.connect() as connection:
                return text_of(session.call("echo", connection=connection, text="x"))

        asked = [Background(ask) for _ in range(16)]
        self.assertEqual([one.result() for one in asked], ["x"] * 16)
        self.assertEqual(gateway.metric("patchbay_sessions"), 1)
        with gateway.connect() as connection:
            connection.request("DELETE", "/mcp", session.headers(**{"Content-Type": None}))
        self.assertEqual(gateway.metric("patchbay_sessions"), 0)
        for _ in range(8):
            self.move(gateway, session)
            self.assert_ended(session)

    def test_restored_sessions_count_against_the_maximum(self):
        gateway = self.start(self.config())
        sessions = [self.session(gateway) for _ in range(6)]
        few = self.config(limits={"max_sessions": 4})
        gateway = self.restart(gateway, few, *sessions)
        self.assertEqual([self.status(session) for session in sessions], [200] * 4 + [503] * 2)
        sessions[0].delete()
        self.assertEqual(self.status(sessions[4]), 200)

    def test_a_storm_of_initialize_writes_nothing(self):
        gateway = self.start(self.config(limits={"max_sessions": 50}))
        before = gateway.metric("patchbay_store_bytes")
        for _ in range(50):
            self.session(gateway)
        with self.assertRaises(AssertionError):
            self.session(gateway)
        self.assertEqual(gateway.metric("patchbay_store_bytes"), before)
        self.assertEqual(gateway.metric("patchbay_store_queued_requests"), 0)


class Contents(SessionCase):
    def first_update(self, session, stream):
        """The first event about a resource. The stream and the subscription begin meanwhile."""
        seen = []

        def read():
            events = (event for event in stream.events() if event.data)
            seen.append(next(event for event in events if event.json()["method"] == UPDATED))

        reader = Background(read)
        wait_until(lambda: self.touched(session) and seen, "an event")
        reader.result()
        stream.connection.close()
        return seen[0]

    def test_the_get_stream_begins_anew(self):
        config = self.config({"items": items("items")})
        gateway = self.start(config)
        session = self.session(gateway)
        result_of(session.request("resources/subscribe", {"uri": "test://a"}))
        event = self.first_update(session, session.open_stream())
        self.restart(gateway, config, session)
        # The earlier stream is gone; its event does not hide those of the new one.
        stream = session.open_stream(last_event_id=event.id)
        self.assertEqual(stream.status, 200)
        event = self.first_update(session, stream)
        self.assertEqual(event.json()["params"]["uri"], "test://a")

    def touched(self, session):
        """Makes the server notify of everything; returns its subscriptions."""
        return json.loads(text_of(session.call("touch")))

    def test_subscriptions_are_made_again_and_end_with_the_session(self):
        config = self.config({"items": items("items")})
        gateway = self.start(config)
        session = self.session(gateway)
        for uri in ("test://a", "test://b", "test://c"):
            result_of(session.request("resources/subscribe", {"uri": uri}))
        result_of(session.request("resources/unsubscribe", {"uri": "test://b"}))
        gateway = self.restart(gateway, config, session)
        wait_until(lambda: self.touched(session) == ["test://a", "test://c"], "the subscriptions")
        watcher = self.session(gateway)
        session.delete()
        wait_until(lambda: self.touched(watcher) == [], "the subscriptions to end")

    def levels(self, session):
        session.others.clear()
        session.call("log")
        return [other["params"]["level"] for other in session.others]

    def test_the_log_level_is_as_the_client_has_set_it(self):
        config = self.config({"items": items("items")})
        gateway = self.start(config)
        session, other = self.session(gateway), self.session(gateway)
        result_of(session.request("logging/setLevel", {"level": "alert"}))
        self.restart(gateway, config, session, other)
        self.assertEqual(self.levels(session), ["alert", "emergency"])
        self.assertEqual(len(self.levels(other)), 8)

    def test_a_session_with_a_program_of_its_own_has_to_begin_again(self):
        own = fake(isolation="per-session", env={"FAKE_ONLY": "echo"})
        config = self.config({"own": own, "all": fake(env={"FAKE_ONLY": "env"})})
        gateway = self.start(config)
        with_program, without = self.session(gateway), self.session(gateway)
        self.assert_goes_on(with_program)
        without.call("env")
        self.restart(gateway, config, with_program, without)
        self.assert_ended(with_program)
        self.assertEqual(self.status(without), 200)

    def test_the_program_of_a_caller_counts_as_its_own(self):
        config = self.config(auth=TOKENS)
        gateway = self.start(config)
        with_program, without = (self.session(gateway, headers=bearer()) for _ in range(2))
        self.assert_goes_on(with_program)
        self.restart(gateway, config, with_program, without)
        self.assert_ended(with_program)
        self.assertEqual(self.status(without), 200)


class Files(SessionCase):
    def test_a_file_of_a_later_version_is_refused(self):
        gateway = self.start(self.config())
        gateway.stop()
        with contextlib.closing(sqlite3.connect(self.state / "store.sqlite")) as database:
            database.execute("PRAGMA user_version = 99")
            database.commit()
        done = run("serve", "-c", str(gateway.config_path), "--listen", "127.0.0.1:0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("later version of Patchbay", done.stderr)

    def test_nothing_of_a_session_can_be_read_in_it(self):
        gateway = self.start(self.config({"items": items("items")}))
        session = self.session(gateway)
        result_of(session.request("resources/subscribe", {"uri": "test://a"}))
        gateway.stop()
        for path in self.state.iterdir():
            content = path.read_bytes()
            self.assertNotIn(b"test://a", content, path)
            self.assertNotIn(session.id.encode(), content, path)
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)


if __name__ == "__main__":
    main()
