"""Audit events other than calls: sign-ins, registrations, failed authentication; and refused
goals."""

import json
import pathlib
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from auth_case import bearer, call_as
from browser import Browser
from harness import Gateway, TestCase, fake_config, main, run, wait_until
from kafka_case import bus_config
from sign_in_case import ANN, BOSS, SignInCase, secret_of

AUDIT = {"file": "audit.jsonl", "database": "audit.db"}
CALLERS = {
    "tokens": [
        {"name": "ann", "token": "token-of-ann-0123456789", "roles": ["reader"]},
        {"name": "boss", "token": "token-of-boss-012345678", "roles": ["admin"]},
    ]
}


def events(gateway, kind):
    """What the file has of that kind, in order."""
    path = pathlib.Path(gateway.folder.name) / "audit.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [record for record in map(json.loads, lines) if record.get("event", "call") == kind]


def wait_events(gateway, kind, count):
    wait_until(lambda: len(events(gateway, kind)) >= count, f"{count} records of {kind}")
    return events(gateway, kind)


def audit(gateway, *options):
    database = f"{gateway.folder.name}/audit.db"
    return run("audit", "--database", database, *options).stdout.splitlines()


class LogIns(TestCase):
    def test_a_failed_one_has_a_record(self):
        with Gateway(fake_config(auth=CALLERS, audit=AUDIT)) as gateway:
            self.assertEqual(gateway.get("/metrics", bearer("wrong-token-01234567")).status, 401)
            self.assertEqual(gateway.get("/metrics").status, 401)  # That was no attempt.
            gateway.get("/health", bearer("wrong-token-01234567"))  # Open, and an attempt.
            first, second = wait_events(gateway, "log_in", 2)
            self.assertEqual((first["auth_method"], first["outcome"]), ("token", "unauthenticated"))
            self.assertEqual((first["from"], first["target"]), ("127.0.0.1", "/metrics"))
            self.assertEqual((first["decision"], second["target"]), ("deny", "/health"))
            self.assertNotIn("wrong-token", json.dumps([first, second]))
            self.assertEqual(len(audit(gateway, "--event", "log_in")), 2)
            self.assertIn("log_in refuse /metrics", audit(gateway, "--event", "log_*")[-1])

    def test_they_do_not_fill_the_disk(self):
        bounded = {**AUDIT, "max_failed_log_ins": 5}
        callers = {**CALLERS, "failures": {"max_failures": 1_000_000}}
        with Gateway(fake_config(auth=callers, audit=bounded)) as gateway:
            with gateway.connect() as connection:
                for n in range(200):
                    connection.request("GET", "/metrics", bearer(f"wrong-token-{n:08}"))
            wait_events(gateway, "log_in", 5)
            call_as(gateway, "fake__echo", bearer("token-of-ann-0123456789"), text="x")
            wait_events(gateway, "call", 1)
            # Two minutes at most have begun meanwhile.
            self.assertLessEqual(len(events(gateway, "log_in")), 10)


class SignIns(SignInCase):
    def test_each_step_has_a_record(self):
        auth = self.auth_server()
        gateway = self.start(self.guarded(auth), callers=True, audit=AUDIT)
        self.wait_detail(gateway, "sign in", BOSS)
        self.sign_in_own(gateway, BOSS)
        url = self.link(gateway, ANN)
        self.assertEqual(Browser(secret=secret_of(ANN)).sign_in(url)[0], 200)
        self.assertEqual(self.control(gateway, "DELETE", "far", ANN)[0], 200)
        records = wait_events(gateway, "sign_in", 5)
        reply = [(one["method"], one["name"], one.get("by")) for one in records]
        self.assertEqual(
            reply,
            [
                ("offer", "local", "boss"),
                ("complete", "local", None),
                ("offer", "ann", "ann"),
                ("complete", "ann", None),
                ("forget", "ann", "ann"),
            ],
        )
        for record in records[:4]:
            self.assertEqual((record["upstream"], record["target"]), ("far", auth.issuer))
        (registered,) = wait_events(gateway, "registration", 1)
        self.assertEqual((registered["method"], registered["target"]), ("client", auth.issuer))
        text = pathlib.Path(gateway.folder.name, "audit.jsonl").read_text(encoding="utf-8")
        for secret in ("access-token-", "refresh-token-", "registered-secret", "/oauth/sign-in/"):
            self.assertNotIn(secret, text)


class Registrations(TestCase):
    def test_each_change_has_a_record(self):
        agent = {
            "name": "controlled",
            "description": "First",
            "requestTopicName": "controlled.requests",
            "responseTopicName": "controlled.responses",
        }
        boss = {**bearer("token-of-boss-012345678"), "Content-Type": "application/json"}
        with Gateway(bus_config(auth=CALLERS, audit=AUDIT)) as gateway:
            for method, path, body, status in (
                ("POST", "", agent, 201),
                ("POST", "", agent, 409),
                ("DELETE", "/controlled", None, 200),
                ("DELETE", "/nobody", None, 404),
            ):
                with gateway.connect() as connection:
                    response = connection.request(
                        method, f"/control/registrations{path}", boss, body
                    )
                self.assertEqual(response.status, status, response.body)
            records = wait_events(gateway, "registration", 4)
            reply = [(one["name"], one["method"], one["target"], one["outcome"]) for one in records]
            self.assertEqual(
                reply,
                [
                    ("boss", "post", "controlled", "ok"),
                    ("boss", "post", "controlled", "invalid_request"),
                    ("boss", "delete", "controlled", "ok"),
                    ("boss", "delete", "nobody", "not_found"),
                ],
            )


class Goals(TestCase):
    def test_a_forbidden_tool_has_a_record(self):
        rules = [{"role": "reader", "allow": ["skills.echo"]}]
        config = goals.config(auth=CALLERS, audit=AUDIT, rules=rules)
        with Gateway(config) as gateway:
            ann = {**bearer("token-of-ann-0123456789"), **goals.JSON}
            reply = {}
            for goal in ("skills.calculate: 1+1", "calculate: 1 + 1", "calculate 1 + 1", "nothing.there: 1"):
                with gateway.connect() as connection:
                    answer = goals.post(connection, {"goal": goal}, ann).json()
                (step,) = answer["trace"]
                self.assertFalse(step["success"], answer)
                reply[goal] = step["output"].replace(goal, "")
            # A caller gets the same error for what it may not use and for what does not exist.
            self.assertEqual(len(set(reply.values())), 1, reply)
            records = wait_events(gateway, "call", 3)
            self.assertEqual(len(records), 3, records)
            for record in records:
                self.assertEqual((record["decision"], record["rule"]), ("deny", "hidden"))
                self.assertEqual((record["name"], record["frontend"]), ("ann", "goal"))
                self.assertEqual(record["target"].rpartition(".")[2], "calculate")


if __name__ == "__main__":
    main()
