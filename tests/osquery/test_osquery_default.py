"""Without any configuration, questions about this machine are answered."""

import json
import os
import socket
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import TIMEOUT, Gateway, TestCase, main


class Defaults(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway())

    def test_the_command_of_the_document(self):
        done = subprocess.run(
            ["curl", "-s", "-X", "POST", f"http://localhost:{self.gateway.port}/api/agent/execute",
             "-H", "Content-Type: application/json", "-d", '{"goal":"osquery: show system info"}'],
            capture_output=True, text=True, timeout=TIMEOUT, check=True,
        )  # fmt: skip
        (only,) = json.loads(done.stdout)["trace"]
        self.assertEqual((only["success"], only["skillName"]), (True, "OsqueryMCPSkill"), only)
        (row,) = json.loads(only["output"])
        self.assertEqual(row["hostname"], socket.gethostname())

    def test_sql_in_a_goal(self):
        pid = os.getpid()
        goal = f"osquery: SELECT pid FROM processes WHERE pid = {pid}"
        (row,) = json.loads(goals.step(self.gateway, goal)[2])
        self.assertEqual(int(row["pid"]), pid)
        success, _, output = goals.step(self.gateway, "osquery: SELECT * FROM no_such_table")
        self.assertFalse(success)
        self.assertTrue(output)

    def test_the_log_and_the_state(self):
        for line in (
            "info Connecting to osquery MCP server...",
            "info Successfully connected to MCP server: osquery",
            "info Available osquery tools: query_osquery",
        ):
            self.gateway.stderr.wait_for(line)
        self.gateway.wait_ready()

    def test_it_can_be_switched_off(self):
        with Gateway(env={"MCP_OSQUERY_ENABLED": "false"}) as gateway:
            self.assertEqual(gateway.children(), [])
            self.assertEqual(goals.step(gateway, "osquery: show system info")[1], "none")


if __name__ == "__main__":
    main()
