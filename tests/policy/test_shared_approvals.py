"""Approvals of several gateways with one store, and of one that was restarted: whichever of them a person
approves at, the call runs once."""

import contextlib
import json
import pathlib
import re
import sqlite3
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from harness import Background, fake, main, result_of, run, text_of, wait_until
from redis_case import KEYS, PROGRAM, RedisServer
from restart_case import RestartCase

RULES = [
    {"role": "agent", "allow": ["fake.*"], "approve": ["fake.echo"]},
    {"role": "admin", "scopes": ["approve"]},
]
AGENT, BOTH, BOSS = (f"{name}-token-of-the-tests" for name in ("agent", "both", "boss"))
TOKENS = [
    {"name": "agent", "token": AGENT, "roles": ["agent"]},
    {"name": "both", "token": BOTH, "roles": ["agent", "admin"]},
    {"name": "boss", "token": BOSS, "roles": ["admin"]},
]


class SharedCase(RestartCase):
    """Gateways with one store. What they share is on disk, as it is for a process and its successor."""

    nodes = 2

    def setUp(self):
        super().setUp()
        self.gateways = [self.start(self.config()) for _ in range(self.nodes)]

    def config(self, **settings):
        base = {"auth": {"tokens": TOKENS}, "rules": RULES}
        return super().config({"fake": fake()}, **{**base, **settings})

    def call(self, gateway, text="hi", token=AGENT):
        return result_of(call_as(gateway, "echo", bearer(token), text=text))

    def refused(self, result):
        """The id under which a call waits."""
        self.assertTrue(result.get("isError"), result)
        return re.search(r"patchbay approve ([0-9a-f]{32}) ", result["content"][0]["text"])[1]

    def ran(self, result):
        self.assertFalse(result.get("isError", False), result)
        return text_of({"result": result})

    def control(self, gateway, method="GET", path="", status=200, token=BOSS):
        with gateway.connect() as connection:
            response = connection.request(method, f"/control/approvals{path}", bearer(token))
        self.assertEqual(response.status, status, response.body)
        return json.loads(response.body)

    def approve(self, gateway, waiting):
        return self.control(gateway, "POST", f"/{waiting}")

    def listed(self, gateway):
        return self.control(gateway)["approvals"]

    def samples(self, gateway, name):
        """(labels, value) of each."""
        body = gateway.get("/metrics", bearer(BOSS)).body.decode()
        return [(labels, float(value)) for labels, value in re.findall(rf"^{name}(.*) (\S+)$", body, re.M)]

    def runs(self):
        """How often the tool ran."""
        return sum(
            value
            for gateway in self.gateways
            for labels, value in self.samples(gateway, "patchbay_calls_total")
            if 'upstream="fake"' in labels and 'outcome="ok"' in labels
        )


@unittest.skipUnless(PROGRAM, "there is no redis-server or valkey-server")
class OnRedis(SharedCase):
    """The same with a server as the store, which survives its own restarts."""

    def setUp(self):
        with contextlib.ExitStack() as ending:  # After the gateways.
            folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory()))
            self.redis = RedisServer(folder=folder)
            ending.callback(lambda: self.redis.stop())
            self.addCleanup(ending.pop_all().close)
        super().setUp()

    def config(self, **settings):
        redis = {"url": f"redis://127.0.0.1:{self.redis.port}", "request_timeout": "1s"}
        cluster = {"keys": KEYS, "store": "redis", "redis": redis}
        return super().config(**{"cluster": cluster, "state": "", **settings})


class TwoGateways(SharedCase):
    def check_one_run(self, asked, approved, repeated):
        waiting = self.refused(self.call(asked))
        self.assertEqual(self.refused(self.call(repeated)), waiting, "the same call, the same id")
        answer = self.approve(approved, waiting)
        self.assertEqual((answer["state"], answer["by"], answer["caller"]), ("approved", "boss", "agent"))
        self.assertEqual(self.ran(self.call(repeated)), "hi")
        for gateway in self.gateways:
            self.assertEqual(self.refused(self.call(gateway)), waiting)
        self.assertEqual(self.runs(), 1)

    def test_approved_at_one_and_repeated_where_it_was_made(self):
        a, b = self.gateways
        self.check_one_run(asked=a, approved=b, repeated=a)

    def test_approved_at_one_and_repeated_there(self):
        a, b = self.gateways
        self.check_one_run(asked=a, approved=b, repeated=b)

    def test_one_of_many_calls_at_once_runs(self):
        a, b = self.gateways
        for round in range(5):
            self.approve(b, self.refused(self.call(a)))
            calls = [Background(self.call, self.gateways[i % 2]) for i in range(12)]
            refused = [call.result().get("isError", False) for call in calls]
            self.assertEqual(refused.count(False), 1, f"in round {round}")
        self.assertEqual(self.runs(), 5)

    def test_refused_at_one_is_refused_at_both(self):
        a, b = self.gateways
        waiting = self.refused(self.call(a))
        self.control(b, "DELETE", f"/{waiting}")
        self.control(a, "POST", f"/{waiting}", 404)
        self.assertEqual(self.listed(a), [])
        self.refused(self.call(b))

    def test_each_shows_what_waits_at_the_other(self):
        a, b = self.gateways
        waiting = self.refused(self.call(a, "one"))
        entry = self.control(b, path=f"/{waiting}")
        self.assertEqual((entry["tool"], entry["arguments"]), ("fake.echo", {"text": "one"}))
        wait_until(lambda: [one["id"] for one in self.listed(b)] == [waiting], "the other to list it")
        done = run("approve", b.url, waiting, env={"PATCHBAY_TOKEN": BOSS})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.ran(self.call(a, "one"))
        second = self.refused(self.call(b, "two"))

        def shown():
            with a.connect() as connection:
                body = connection.request("GET", "/control/v1/approvals", bearer(BOSS)).body
            return [one for one in json.loads(body)["approvals"] if one["id"] == second]

        (entry,) = wait_until(shown, "the page of the first to have the second call")
        self.assertEqual(entry["last_approved"]["arguments"], {"text": "one"})
        wait_until(lambda: [one["id"] for one in self.listed(a)] == [second], "the first one to be gone")

    def test_nobody_approves_its_own_call_at_another_gateway(self):
        a, b = self.gateways
        waiting = self.refused(self.call(a, token=BOTH))
        refused = self.control(b, "POST", f"/{waiting}", 403, token=BOTH)
        self.assertIn("cannot approve its own call", json.dumps(refused))
        self.approve(b, waiting)
        self.refused(self.call(b, token=AGENT))
        self.ran(self.call(b, token=BOTH))


class TwoGatewaysOnRedis(OnRedis, TwoGateways):
    def test_without_the_server_a_call_is_refused_and_its_approval_stays(self):
        a, b = self.gateways
        self.approve(b, self.refused(self.call(a)))
        self.redis.stop()
        for gateway in self.gateways:
            refused = self.call(gateway)
            self.assertTrue(refused["isError"])
            self.assertIn("was not made", refused["content"][0]["text"])
            self.assertIn("cluster.store", refused["content"][0]["text"])
        self.assertIn("cluster.store", json.dumps(self.control(a, "POST", "/" + "0" * 32, 503)))
        self.assertEqual(self.runs(), 0)
        self.redis.start()
        for gateway in self.gateways:
            wait_until(
                lambda one=gateway: self.samples(one, "patchbay_store_connected") == [("", 1)],
                "the store",
            )
        self.assertEqual(self.ran(self.call(a)), "hi")
        self.refused(self.call(b))


class Limited(SharedCase):
    def config(self, **settings):
        return super().config(approvals={"max_pending_per_caller": 2}, **settings)

    def test_the_limit_is_of_all_gateways(self):
        a, b = self.gateways
        self.refused(self.call(a, "one"))
        self.refused(self.call(b, "two"))
        for gateway in self.gateways:
            wait_until(lambda one=gateway: len(self.listed(one)) == 2, "both to know both")
            full = self.call(gateway, "three")
            self.assertIn("too many calls wait for approval", full["content"][0]["text"])


class Restarts(SharedCase):
    nodes = 1

    def test_what_waits_and_what_was_approved_survive_each_kind_of_end(self):
        (gateway,) = self.gateways
        config = self.config()
        for kill in (True, False):
            with self.subTest(kill=kill):
                approved = self.refused(self.call(gateway, "one"))
                waiting = self.refused(self.call(gateway, "two"))
                self.approve(gateway, approved)
                gateway = self.restart(gateway, config, kill=kill)
                self.gateways = [gateway]
                states = {one["id"]: one["state"] for one in self.listed(gateway)}
                self.assertEqual(states, {approved: "approved", waiting: "waiting"})
                self.assertEqual(self.ran(self.call(gateway, "one")), "one")
                self.assertEqual(self.refused(self.call(gateway, "one")), approved)
                self.approve(gateway, waiting)
                gateway = self.restart(gateway, config, kill=kill)
                self.gateways = [gateway]
                self.assertEqual(self.ran(self.call(gateway, "two")), "two")
                gateway = self.restart(gateway, config, kill=kill)
                self.gateways = [gateway]
                self.refused(self.call(gateway, "two"))
                for id in (approved, waiting):
                    self.control(gateway, "DELETE", f"/{id}")

    def test_other_rules_revoke_what_an_earlier_process_has_approved(self):
        (gateway,) = self.gateways
        waiting = self.refused(self.call(gateway))
        self.approve(gateway, waiting)
        rules = [*RULES, {"role": "any", "allow": ["fake.*"]}]
        gateway = self.restart(gateway, self.config(rules=rules))
        self.assertNotEqual(self.refused(self.call(gateway)), waiting)

    def test_without_a_state_folder_they_end_with_the_process(self):
        (gateway,) = self.gateways
        gateway.stop()
        config = self.config(state="")
        gateway = self.start(config)
        waiting = self.refused(self.call(gateway))
        self.approve(gateway, waiting)
        gateway = self.restart(gateway, config)
        self.assertEqual(self.listed(gateway), [])
        self.assertEqual(self.refused(self.call(gateway)), waiting)


class OneEnds(SharedCase):
    def test_the_gateway_of_the_call_is_killed_and_comes_back(self):
        a, b = self.gateways
        waiting = self.refused(self.call(a))
        a.kill()
        self.approve(b, waiting)
        a = self.start(self.config())
        self.gateways = [a, b]
        self.assertEqual(self.ran(self.call(a)), "hi")
        for gateway in self.gateways:
            self.assertEqual(self.refused(self.call(gateway)), waiting)
        self.assertEqual(self.runs(), 1)


class WithoutTheStore(SharedCase):
    nodes = 1

    @contextlib.contextmanager
    def locked(self):
        """Nobody else can write to the store meanwhile."""
        other = sqlite3.connect(self.state / "store.sqlite", isolation_level=None)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    def test_a_call_is_refused_and_its_approval_stays(self):
        (gateway,) = self.gateways
        self.approve(gateway, self.refused(self.call(gateway)))
        with self.locked():
            refused = self.call(gateway)
            self.assertTrue(refused["isError"])
            self.assertIn("was not made", refused["content"][0]["text"])
            self.assertIn("cluster.store", refused["content"][0]["text"])
        self.assertEqual(self.runs(), 0)
        self.assertEqual(self.ran(self.call(gateway)), "hi")
        self.refused(self.call(gateway))


if __name__ == "__main__":
    main()
