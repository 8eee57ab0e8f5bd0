"""Gateways that share a store: sessions go on and end on all of them, whatever happens to the server."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from certificates import Authority
from harness import McpSession, main, result_of, run, text_of, to_yaml, wait_until
from items_upstream import items
from redis_case import KEYS, RedisCase, free_port

PING = {"jsonrpc": "2.0", "id": 99, "method": "ping"}


class SharedCase(RedisCase):
    def session(self, gateway, **options):
        return self.enterContext(McpSession(gateway, "2025-11-25", **options))

    def at(self, gateway, session):
        """The status of a request of the session at that gateway."""
        with gateway.connect() as connection:
            return connection.request("POST", "/mcp", session.headers(), PING).status

    def move(self, session, gateway):
        session.connection.close()
        session.gateway, session.connection = gateway, gateway.connect()


class Sessions(SharedCase):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.settings = self.config(self.url(self.redis))

    def gateways(self, count):
        found = [self.start(self.settings) for _ in range(count)]
        for gateway in found:
            wait_until(lambda gateway=gateway: self.connected(gateway), "the store")
        return found

    def test_a_session_goes_on_at_every_gateway_and_ends_at_all(self):
        one, other = self.gateways(2)
        sessions = [self.session(gateway) for gateway in (one, other, one, other)]
        for session, gateway in zip(sessions[:2], (other, one)):
            self.assertEqual(self.at(gateway, session), 200)
        # Two were used at both, two only where they began; each ends at the gateway it did not begin at.
        for session, end in zip(sessions, (other, one, other, one)):
            self.move(session, end)
            session.delete()
            for gateway in (one, other):
                wait_until(lambda s=session, g=gateway: self.at(g, s) == 404, "the session to end")

    def test_what_a_client_has_set_goes_on_when_its_gateway_is_killed(self):
        self.settings["upstreams"] = {"items": items("items")}
        one, other = self.gateways(2)
        session, ended = self.session(one), self.session(one)
        result_of(session.request("logging/setLevel", {"level": "alert"}))
        ended.delete()
        one.kill()
        for _ in range(2):
            self.move(session, other)
            self.assertEqual(self.levels(session), ["alert", "emergency"])
            self.assertEqual(self.at(other, ended), 404)
            other.kill()
            (other,) = self.gateways(1)

    def levels(self, session):
        session.others.clear()
        session.call("log")
        return [other["params"]["level"] for other in session.others]

    def test_without_the_server_known_sessions_go_on_and_it_is_said_why_others_do_not(self):
        (gateway,) = self.gateways(1)
        session = self.session(gateway)
        foreign = self.session(self.start(self.settings))
        self.redis.stop()
        wait_until(lambda: "cluster.redis.url" in self.problems(gateway), "the loss to be noticed")
        self.assertEqual(gateway.get("/ready").status, 200)
        self.assertEqual(self.at(gateway, session), 200)
        self.assertEqual(self.at(gateway, foreign), 503)
        self.assertFalse(self.connected(gateway))
        self.redis.start()
        wait_until(lambda: self.connected(gateway), "the store to be found again")
        self.assertEqual(self.problems(gateway), "")
        self.assertEqual(self.at(gateway, foreign), 200)
        gateway.stderr.wait_for(" store connected ")

    def test_a_server_that_hangs_is_left(self):
        (gateway,) = self.gateways(1)
        foreign = self.session(self.start(self.settings))
        self.redis.pause()
        self.assertEqual(self.at(gateway, foreign), 503)
        self.redis.resume()
        wait_until(lambda: self.at(gateway, foreign) == 200, "the store to be found again")
        self.assertGreater(gateway.metric("patchbay_store_failures_total"), 0)


class Start(SharedCase):
    def test_it_starts_without_the_server_and_goes_on_trying(self):
        redis = self.server()
        redis.stop()
        gateway = self.start(self.config(self.url(redis)))
        wait_until(lambda: "cannot be used" in self.problems(gateway), "the problem to be shown")
        session = self.session(gateway)
        self.assertEqual(text_of(session.call("echo", text="x")), "x")
        redis.start()
        wait_until(lambda: self.connected(gateway), "the store to be found")
        self.assertEqual(self.problems(gateway), "")

    def test_a_wrong_password_is_said_and_not_shown(self):
        redis = self.server("--requirepass", "right")
        url = f"redis://:wrong-secret@127.0.0.1:{redis.port}"
        gateway = self.start(self.config(url))
        wait_until(lambda: "WRONGPASS" in self.problems(gateway), "the problem to be shown")
        self.assertIn(f"redis://127.0.0.1:{redis.port}", self.problems(gateway))
        shown = gateway.get("/control/v1/configuration").body + gateway.get("/ready").body
        self.assertNotIn(b"wrong-secret", shown + gateway.stderr.text().encode())
        good = self.start(self.config(url.replace("wrong-secret", "right")))
        wait_until(lambda: self.connected(good), "the store")

    def test_tls(self):
        authority = Authority(self.folder)
        cert, key = authority.server("server", "DNS:localhost")
        options = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no", "--port", "0"]
        port = free_port()
        redis = self.server("--tls-port", str(port), *options, port=port)
        url = f"rediss://localhost:{redis.port}"
        gateway = self.start(self.config(url, {"redis": {"tls": {"ca": authority.pem}}}))
        wait_until(lambda: self.connected(gateway), "the store")
        for settings in ({}, {"tls": {"ca": authority.pem, "server_name": "other.example"}}):
            with self.subTest(settings):
                wary = self.start(self.config(url, {"redis": settings}))
                wait_until(lambda gateway=wary: "certificate" in self.problems(gateway), "the refusal")
                self.assertFalse(self.connected(wary))


class Check(SharedCase):
    def faults(self, cluster):
        path = self.folder / "patchbay.yaml"
        path.write_text(to_yaml({"upstreams": {}, "cluster": cluster}), encoding="utf-8")
        done = run("check", str(path))
        return done.stderr if done.returncode else ""

    def test_what_is_missing_or_wrong_is_named(self):
        good = {"store": "redis", "keys": KEYS, "redis": {"url": "redis://a:b@host:1/2"}}
        self.assertEqual(self.faults(good), "")
        for change, fault in (
            ({"redis": {}}, "cluster.redis.url: is missing"),
            ({"keys": []}, "cluster.keys: is missing; gateways with one store need the same keys"),
            ({"redis": {"url": "http://host"}}, "cluster.redis.url: "),
            ({"redis": {"url": "redis://u:hidden@host/x"}}, "is not the number of a database"),
            ({"redis": {"url": "redis://host", "tls": {"ca": "/x"}}}, "does not begin with rediss://"),
            ({"redis": {"url": "redis://host", "prefix": "a b"}}, "cluster.redis.prefix"),
            ({"store": "embedded"}, "has no effect without `store: redis`"),
        ):
            with self.subTest(change):
                faults = self.faults({**good, **change})
                self.assertIn(fault, faults)
                self.assertNotIn("hidden", faults)


if __name__ == "__main__":
    main()
