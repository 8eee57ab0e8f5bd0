"""What clients hold of a gateway after it was restarted: by SIGTERM, by SIGKILL, and with other keys."""

import stat
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from conformance import fixture, fixture_upstream
from harness import (
    main,
    result_of,
    run,
    stateless_request,
    text_of,
    wait_until,
)
from matrix_clients import answer_to
from restart_case import RestartCase

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
ABLE = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
ASKING = "test_input_required_result_elicitation"
OLD, NEW = "old " * 8, "new " * 8


class Tasks(RestartCase):
    """A server over HTTP that runs on while the gateway does not."""

    def setUp(self):
        super().setUp()
        address = self.enterContext(fixture("--revisions", "2026-07-28")).address
        self.upstreams = {"up": {"kind": "http", "url": address}}

    def ask(self, gateway, method, params):
        return stateless_request(gateway, method, params, meta={CAPABILITIES: TASKS})

    def make_task(self, gateway):
        params = {"name": "slow_compute", "arguments": {"seconds": 0, "label": "b"}}
        return result_of(self.ask(gateway, "tools/call", params))["taskId"]

    def assert_opens(self, gateway, task):
        wait_until(
            lambda: (
                result_of(self.ask(gateway, "tasks/get", {"taskId": task}))["status"]
                == "completed"
            )
        )

    def assert_unknown(self, gateway, task):
        self.assert_error(self.ask(gateway, "tasks/get", {"taskId": task}), -32602)

    def test_a_task_id_opens_after_each_kind_of_end(self):
        gateway = self.start(self.config(self.upstreams))
        task = self.make_task(gateway)
        gateway.stop()
        gateway = self.start(self.config(self.upstreams))
        self.assert_opens(gateway, task)
        gateway.kill()
        self.assert_opens(self.start(self.config(self.upstreams)), task)

    def test_without_a_state_folder_it_does_not_and_the_log_says_why(self):
        config = self.config(self.upstreams, state="")
        gateway = self.start(config)
        self.assertIn("there is no state folder", gateway.stderr.wait_for("state ends with"))
        task = self.make_task(gateway)
        gateway.stop()
        self.assert_unknown(self.start(config), task)

    def test_configured_keys_need_no_folder(self):
        config = self.config(self.upstreams, state="", cluster={"keys": [OLD]})
        gateway = self.start(config)
        task = self.make_task(gateway)
        gateway.stop()
        gateway = self.start(config)
        self.assert_opens(gateway, task)
        self.assertNotIn("state ends with", gateway.stderr.text())

    def test_keys_are_replaced_while_it_runs(self):
        def with_keys(*keys):
            return self.config(self.upstreams, cluster={"keys": list(keys)})

        gateway = self.start(with_keys(OLD))
        old = self.make_task(gateway)
        self.reload(gateway, with_keys(NEW, OLD))
        new = self.make_task(gateway)
        self.assert_opens(gateway, old)
        self.assert_opens(gateway, new)
        self.reload(gateway, with_keys(NEW))
        self.assert_unknown(gateway, old)
        self.assert_opens(gateway, new)

    def test_the_key_file_stays_good_when_keys_are_configured(self):
        gateway = self.start(self.config(self.upstreams))
        task = self.make_task(gateway)
        self.reload(gateway, self.config(self.upstreams, cluster={"keys": [NEW]}))
        self.assert_opens(gateway, task)


class Keys(RestartCase):
    def test_the_key_file_is_made_once_for_its_owner(self):
        self.start(self.config({})).stop()
        path = self.state / "tokens.key"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        before = path.read_bytes()
        self.start(self.config({})).stop()
        self.assertEqual(path.read_bytes(), before)

    def test_a_key_file_that_others_may_read_is_not_used(self):
        self.start(self.config({})).stop()
        (self.state / "tokens.key").chmod(0o644)
        gateway = self.start(self.config({}))
        self.assertIn("chmod 600", gateway.stderr.wait_for("state ends with"))

    def test_weak_keys_are_refused(self):
        path = self.folder / "gateway.yaml"
        for keys, why in (('["short"]', "a key has 5 bytes"), ([OLD] * 9, "the maximum is 8")):
            path.write_text(f"cluster: {{ keys: {keys} }}\n", encoding="utf-8")
            done = run("check", str(path))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("cluster.keys", done.stderr)
            self.assertIn(why, done.stderr)
            self.assertNotIn(OLD, done.stderr)


class ParkedCalls(RestartCase):
    def test_a_call_that_waited_for_its_client_was_interrupted(self):
        config = self.config({"far": fixture_upstream("--revisions", "2025-11-25")})
        gateway = self.start(config)
        meta = {CAPABILITIES: ABLE}
        params = {"name": ASKING, "arguments": {}}
        asked = result_of(stateless_request(gateway, "tools/call", params, 0, meta))
        answers = {key: answer_to(question) for key, question in asked["inputRequests"].items()}
        again = {**params, "inputResponses": answers, "requestState": asked["requestState"]}
        gateway.kill()
        gateway = self.start(config)
        refused = stateless_request(gateway, "tools/call", again, 1, meta)
        self.assert_error(refused, -32602, "interrupted")
        self.assertIn("it may have run", refused["error"]["message"])
        other = {**again, "arguments": {"x": 1}}
        unknown = stateless_request(gateway, "tools/call", other, 2, meta)
        self.assert_error(unknown, -32602, "invalid_params")
        # As the error advises.
        asked = result_of(stateless_request(gateway, "tools/call", params, 3, meta))
        again["requestState"] = asked["requestState"]
        self.assertEqual(
            text_of(stateless_request(gateway, "tools/call", again, 4, meta)), "Hello, Alice!"
        )


if __name__ == "__main__":
    main()
