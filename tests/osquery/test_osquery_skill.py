"""The osquery skill: how it reaches its server, and the errors when that fails. The application
keeps running in every case."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import Gateway, TestCase, alive, main, wait_until

QUESTION = "osquery: show system info"


class Scenario(TestCase):
    def gateway(self, osquery=None, **settings):
        return self.enterContext(Gateway(goals.config(osquery or goals.stand_in(), **settings)))

    def assert_fails(self, gateway, goal, *texts):
        """The goal fails with these texts in its trace, and other goals continue."""
        success, skill, output = goals.step(gateway, goal)
        self.assertEqual((success, skill), (False, "OsqueryMCPSkill"), output)
        for text in texts:
            self.assertIn(text, output)
        self.assertEqual(goals.step(gateway, "calculate: 12 / 4")[2], "3.0")
        return output

    def assert_answers(self, gateway):
        success, _, output = goals.step(gateway, QUESTION)
        self.assertTrue(success, output)
        self.assertEqual(json.loads(output), {"sql": "SELECT * FROM system_info"})


class Failing(Scenario):
    def test_the_program_cannot_be_started(self):
        gateway = self.gateway({"kind": "stdio", "command": "./no-such-server"})
        self.assert_fails(gateway, QUESTION, "Not connected to osquery MCP server", "no-such-server")
        self.assertNotIn("OsqueryMCPSkill", json.loads(gateway.get("/api/agent/skills").body)["skills"])

    def test_the_program_ends_at_once(self):
        gateway = self.gateway({"kind": "stdio", "command": "false"})
        self.assert_fails(gateway, QUESTION, "Not connected to osquery MCP server", "status 1")

    def test_the_handshake_is_refused(self):
        gateway = self.gateway(goals.stand_in(env={"STAND_IN_INITIALIZE": "not today"}))
        self.assert_fails(gateway, QUESTION, "Not connected to osquery MCP server", "not today")

    def test_the_call_is_answered_with_an_error(self):
        gateway = self.gateway()
        output = self.assert_fails(gateway, "osquery: SELECT 'refuse'")
        self.assertEqual(output, "Internal error: refused")
        self.assert_answers(gateway)

    def test_the_tool_reports_an_error(self):
        gateway = self.gateway()
        self.assertEqual(self.assert_fails(gateway, "osquery: SELECT 'fail'"), "no such table")
        self.assert_answers(gateway)

    def test_no_answer_comes(self):
        gateway = self.gateway(goals.stand_in(timeout="300ms"))
        self.assert_fails(gateway, "osquery: SELECT 'hang'", "did not answer in time")
        self.assert_answers(gateway)

    def test_the_program_dies(self):
        gateway = self.gateway()
        (before,) = gateway.children()
        self.assert_fails(gateway, "osquery: SELECT 'crash'", "lost")
        wait_until(lambda: not alive(before), "the end of the program")
        # It comes back by itself, and the next question waits for that.
        self.assert_answers(gateway)

    def test_there_is_none(self):
        gateway = self.enterContext(Gateway(goals.config()))
        self.assertEqual(goals.step(gateway, QUESTION)[1], "none")


class Asking(Scenario):
    def test_the_handshake_and_the_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            gateway = self.gateway(goals.stand_in(env={"STAND_IN_LOG": str(log)}))
            self.assert_answers(gateway)
            self.assert_answers(gateway)
            lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        # Detection of the protocol revision is tested elsewhere.
        methods = [line["method"] for line in lines if line["method"] != "server/discover"]
        self.assertEqual(methods, ["initialize", "notifications/initialized", "tools/list",
                                   "tools/call", "tools/call"])  # fmt: skip
        call = lines[-1]["params"]
        self.assertEqual(call["name"], "query_osquery")
        self.assertEqual(call["arguments"], {"sql": "SELECT * FROM system_info"})

    def test_a_server_is_spoken_to_as_it_wants(self):
        client = {"name": "spring-ai-agent", "version": "1.0.0", "capabilities": ["tools"]}
        protocol = {"revision": "2024-11-05", "ids": "string", "client": client}
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            server = {**goals.stand_in(env={"STAND_IN_LOG": str(log)}), "protocol": protocol, "request_progress": False}
            self.assert_answers(self.gateway(server))
            lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        call = {"name": "query_osquery", "arguments": {"sql": "SELECT * FROM system_info"}}
        self.assertEqual(
            lines,
            [
                {
                    "jsonrpc": "2.0",
                    "id": "1",
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "2024-11-05",
                        "capabilities": {"tools": {}},
                        "clientInfo": {"name": "spring-ai-agent", "version": "1.0.0"},
                    },
                },
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                {"jsonrpc": "2.0", "id": "2", "method": "tools/list", "params": {}},
                {"jsonrpc": "2.0", "id": "3", "method": "tools/call", "params": call},
            ],
        )

    def test_the_argument_is_the_one_that_the_tool_has(self):
        gateway = self.gateway(goals.stand_in(env={"STAND_IN_ARGUMENT": "query"}))
        output = goals.step(gateway, QUESTION)[2]
        self.assertEqual(json.loads(output), {"query": "SELECT * FROM system_info"})

    def test_large_and_empty_answers(self):
        gateway = self.gateway()
        self.assertEqual(goals.step(gateway, "osquery: SELECT 'large'")[2], "x" * 300_000)
        self.assertEqual(goals.step(gateway, "osquery: SELECT 'empty'")[2], "No content returned")

    def test_raw_sql_can_be_switched_off_and_on(self):
        off = self.gateway(goals={"osquery": {"raw_sql": "off"}})
        self.assert_fails(off, "osquery: SELECT 1", "switched off")
        self.assert_answers(off)
        anything = self.gateway(goals={"osquery": {"raw_sql": "any"}})
        output = goals.step(anything, "osquery: PRAGMA x; SELECT 1")[2]
        self.assertEqual(json.loads(output), {"sql": "PRAGMA x; SELECT 1"})

    def test_denied_tables_are_refused_before_the_server_is_asked(self):
        log = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "lines"
        server = goals.stand_in(env={"STAND_IN_LOG": str(log)})
        gateway = self.gateway(server)
        self.assert_answers(gateway)
        for sql in (
            "SELECT * FROM shadow",
            'SELECT * FROM main."SHADOW"',
            "SELECT * FROM users, 'shadow'",
            "SELECT $a(/*) FROM shadow -- */",
        ):
            success, _, output = goals.step(gateway, f"osquery: {sql}")
            self.assertFalse(success, sql)
            self.assertRegex(output, "denied_tables|variables", sql)
        self.assert_answers(gateway)
        self.assertNotIn("shadow", log.read_text(encoding="utf-8").lower())
        mine = self.gateway(goals={"osquery": {"denied_tables": ["system_info"]}})
        self.assert_fails(mine, QUESTION, "denied_tables")
        self.assertTrue(goals.step(mine, "osquery: SELECT * FROM shadow")[0])

    def test_another_upstream_and_tool(self):
        upstreams = {"inventory": goals.stand_in()}
        settings = {"osquery": {"upstream": "inventory"}}
        with Gateway(goals.config(upstreams=upstreams, goals=settings)) as gateway:
            self.assert_answers(gateway)
            gateway.stderr.wait_for("Available inventory tools: query_osquery")

    def test_messages_are_logged_at_debug_level(self):
        gateway = self.gateway(log={"level": "debug", "messages": True})
        self.assert_answers(gateway)
        gateway.stderr.wait_for(
            lambda line: 'debug Request: {"jsonrpc":"2.0","id":' in line
            and '"method":"initialize"' in line
        )
        gateway.stderr.wait_for('debug Response: {"jsonrpc": "2.0", "id":')

    def test_a_log_line_stays_one_line(self):
        gateway = self.gateway()
        goals.step(gateway, "osquery: SELECT 1 --\n2026 forged line")
        line = gateway.stderr.wait_for("Executing osquery: SELECT 1 --")
        self.assertIn("forged line", line)


if __name__ == "__main__":
    main()
