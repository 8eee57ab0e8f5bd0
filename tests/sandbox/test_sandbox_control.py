"""Sandboxes in the control API: what they use, what they have written, and how one is ended."""

import json
import pathlib
import sys
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from harness import Gateway, McpSession, main, wait_until
from sandbox_tool_case import ToolCase

ADMIN = "an-admin-for-tests-0123456789"
ANN = "ann-token-for-tests-0123456789"
BOB = "bob-token-for-tests-0123456789"
CALLERS = {
    "tokens": [
        {"name": "root", "token": ADMIN, "roles": ["admin"]},
        {"name": "ann", "token": ANN, "roles": ["reader"]},
        {"name": "bob", "token": BOB, "roles": ["reader"]},
    ]
}


class SandboxesOfCallers(ToolCase):
    def setUp(self):
        super().setUp()
        self.audit = pathlib.Path(self.folder) / "audit.jsonl"
        config = {
            "upstreams": {"box": {"kind": "sandbox", "pool": {"size": 0}}, "skills": {"kind": "builtin"}},
            "auth": CALLERS,
            "audit": {"file": str(self.audit)},
            "limits": {"call_timeout": "60s"},
        }
        self.gateway = self.enterContext(Gateway(config))
        self.pids.append(self.gateway.pid)
        self.session = self.enterContext(McpSession(self.gateway, headers=bearer(ANN)))

    def listed(self, token):
        with self.gateway.connect() as connection:
            response = connection.request("GET", "/control/v1/sandboxes", bearer(token))
        self.assertEqual(response.status, 200, response.body)
        return response.json()["sandboxes"]

    def destroy(self, sandbox, token, upstream="box"):
        with self.gateway.connect() as connection:
            path = f"/control/v1/sandboxes/{quote(upstream)}/{quote(sandbox)}"
            return connection.request("DELETE", path, bearer(token)).status

    def test_what_one_uses_and_has_written(self):
        box = self.make()
        (found,) = self.listed(ANN)
        self.assertEqual((found["id"], found["owner"], found["in_use"]), (box, "token:ann", 0))
        self.assertNotIn("last_run", found)
        self.assertGreater(found["memory_limit_bytes"], 0)
        self.shell(box, "head -c 20000 /dev/zero | tr '\\0' x; echo the-end; echo oops >&2; exit 3")
        (found,) = self.listed(ANN)
        last = found["last_run"]
        self.assertEqual((last["verdict"], last["exit_code"], last["stderr"]), ("exit", 3, "oops\n"))
        self.assertTrue(last["stdout"].endswith("xthe-end\n"))
        self.assertLessEqual(len(last["stdout"]), 4096)
        self.assertGreater(found["memory_peak_bytes"], 0)
        self.assertLessEqual(found["memory_peak_bytes"], found["memory_limit_bytes"])
        self.assertGreater(found["expires"], found["created"])

    def test_everybody_sees_ones_own_and_admins_see_all(self):
        box = self.make()
        self.assertEqual(self.listed(BOB), [])
        self.assertEqual([one["id"] for one in self.listed(ADMIN)], [box])
        self.assertEqual(self.destroy(box, BOB), 404)
        self.assertEqual(self.destroy("nothing", ADMIN), 404)
        self.assertEqual(self.destroy(box, ADMIN, "skills"), 404)
        self.assertEqual([one["id"] for one in self.listed(ANN)], [box])
        self.assertFalse(self.audit.exists() and '"event":"sandbox"' in self.audit.read_text(encoding="utf-8"))

    def test_owners_and_admins_end_them(self):
        mine, other = self.make(), self.make()
        self.assertEqual(self.destroy(mine, ANN), 200)
        self.assertEqual(self.destroy(other, ADMIN), 200)
        self.assertEqual(self.listed(ADMIN), [])
        self.assertIn("not found", self.refusal("run_command", sandbox_id=mine, command="true"))
        records = lambda: [
            (one["method"], one["target"], one["name"])
            for one in map(json.loads, self.audit.read_text(encoding="utf-8").splitlines())
            if one.get("event") == "sandbox"
        ]
        wait_until(lambda: records() == [("destroy", mine, "ann"), ("destroy", other, "root")], "the records")
        self.gateway.stop()
        self.assert_nothing_left()

    def test_a_program_that_runs_ends_with_its_sandbox(self):
        box = self.make()
        running = self.session.call_later("box__run_command", sandbox_id=box, command="sleep 600")
        wait_until(lambda: self.listed(ANN)[0]["in_use"] == 1, "the program")
        self.assertEqual(self.destroy(box, ADMIN), 200)
        self.assertTrue(running.result())
        self.assertEqual(self.listed(ANN), [])


if __name__ == "__main__":
    main()
