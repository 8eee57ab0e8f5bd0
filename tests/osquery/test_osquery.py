"""The osquery MCP server: the handshake and the pipes that its document describes, and its tools."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    ROOT,
    SESSION_VERSIONS,
    STATELESS,
    TestCase,
    main,
    result_of,
    stateless_message,
)
from osquery_case import OsqueryCase, call, pipe, without_osqueryi

HANDSHAKE = (
    '{"jsonrpc":"2.0","id":"1","method":"initialize","params":{"protocolVersion":"2024-11-05",'
    '"capabilities":{"tools":{}},"clientInfo":{"name":"spring-ai-agent","version":"1.0.0"}}}'
)
HANDSHAKE_ANSWER = (
    '{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"2024-11-05",'
    '"capabilities":{"tools":{}},"serverInfo":{"name":"osquery-mcp-server","version":"1.0.0"}}}'
)


class Pipes(TestCase):
    """The commands of the document, by all names of the server."""

    def commands(self):
        folder = pathlib.Path(BINARY).parent
        return [
            [BINARY, "osquery"],
            [str(folder / "osquery-mcp-server")],
            [sys.executable, str(folder / "osquery-mcp-server.py")],
        ]

    def test_the_script_runs_by_itself(self):
        script = pathlib.Path(BINARY).parent / "osquery-mcp-server.py"
        self.assertEqual(script.read_text().splitlines()[0], "#!/usr/bin/env python3")
        folder = str(pathlib.Path(sys.executable).parent)
        (line,) = pipe(HANDSHAKE + "\n", command=[str(script)], env={"PATH": folder})
        self.assertEqual(line, HANDSHAKE_ANSWER)

    def test_initialize(self):
        asked = '{"jsonrpc":"2.0","id":"1","method":"initialize","params":{}}\n'
        for command in self.commands():
            with self.subTest(command=command):
                self.assertEqual(pipe(asked, command=command), [HANDSHAKE_ANSWER])

    def test_the_handshake_is_answered_byte_for_byte(self):
        self.assertEqual(pipe(HANDSHAKE + "\n"), [HANDSHAKE_ANSWER])

    def test_list(self):
        asked = '{"jsonrpc":"2.0","id":"2","method":"tools/list","params":{}}\n'
        for command in self.commands():
            with self.subTest(command=command):
                (line,) = pipe(asked, command=command)
                answer = json.loads(line)
                (tool,) = result_of(answer)["tools"]
                self.assertEqual(answer["id"], "2")
                self.assertEqual(tool["name"], "query_osquery")
                self.assertEqual(tool["description"], "Execute an osquery SQL query")
                schema = tool["inputSchema"]
                self.assertEqual(schema["required"], ["sql"])
                self.assertEqual(
                    schema["properties"]["sql"],
                    {"type": "string", "description": "SQL query to execute"},
                )
                self.assertEqual(schema["properties"]["query"]["type"], "string")

    def test_call(self):
        asked = (
            '{"jsonrpc":"2.0","id":"3","method":"tools/call","params":{"name":"query_osquery",'
            '"arguments":{"sql":"SELECT hostname FROM system_info"}}}\n'
        )
        wanted = json.dumps([{"hostname": socket.gethostname()}], indent=2)
        for command in self.commands():
            with self.subTest(command=command):
                (line,) = pipe(asked, command=command, env=without_osqueryi())
                self.assertEqual(
                    json.loads(line),
                    {
                        "jsonrpc": "2.0",
                        "id": "3",
                        "result": {"content": [{"type": "text", "text": wanted}]},
                    },
                )

    def test_errors_as_documented(self):
        asked = '{"jsonrpc":"2.0","id":"x","method":"resources/list"}\nthis is no JSON\n'
        answers = {answer["id"]: answer["error"] for answer in map(json.loads, pipe(asked))}
        self.assertEqual(answers["x"]["code"], -32601)
        self.assertEqual(answers["x"]["message"], "Method not found: resources/list")
        self.assertEqual(answers[None]["code"], -32700)
        self.assertEqual(answers[None]["message"], "Parse error: Invalid JSON")

    def test_a_file_and_invalid_options(self):
        wrong = subprocess.run(
            [BINARY, "osquery", "--engine", "none"], capture_output=True, check=False
        )
        self.assertEqual(wrong.returncode, 2)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("rows: 0\nsafe: maybe\n")
            config.flush()
            os.chmod(config.name, 0o600)
            wrong = subprocess.run(
                [BINARY, "osquery", "-c", config.name],
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(wrong.returncode, 3)
        self.assertIn(":1: rows:", wrong.stderr)
        self.assertIn(":2: safe", wrong.stderr)


class Protocol(OsqueryCase):
    def test_each_revision(self):
        for version in ("2024-11-05", *SESSION_VERSIONS):
            with self.subTest(version=version):
                frontend = self.server()
                params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}
                opened = result_of(
                    frontend.request(
                        {"jsonrpc": "2.0", "id": "1", "method": "initialize", "params": params}
                    )
                )
                self.assertEqual(opened["protocolVersion"], version)
                frontend.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                ping = {"jsonrpc": "2.0", "id": "2", "method": "ping"}
                self.assertEqual(result_of(frontend.request(ping)), {})
                self.assertEqual(len(self.rows(frontend, "SELECT * FROM system_info")), 1)
                self.assertEqual(frontend.close_stdin(), 0)
                # The tools never change, so no notification is sent.
                self.assertNotIn("notifications/", "\n".join(frontend.stdout.wait_end()))

    def test_the_stateless_revision(self):
        frontend = self.server()
        message = stateless_message(
            "tools/call",
            {"name": "query_osquery", "arguments": {"sql": "SELECT 6 * 7 AS answer"}},
            5,
        )
        result = result_of(frontend.request(message))
        self.assertEqual(json.loads(result["content"][0]["text"]), [{"answer": "42"}])
        found = result_of(frontend.request(stateless_message("server/discover", {}, 6)))
        self.assertEqual(found["supportedVersions"], [STATELESS])
        self.assertEqual(found["capabilities"], {"tools": {}})

    def test_sql_or_query(self):
        frontend = self.server()
        both = call("a", sql="SELECT 1 AS one", query="SELECT 2 AS two")
        self.assertIn("one", result_of(frontend.request(both))["content"][0]["text"])
        query = call("b", query="SELECT 2 AS two")
        self.assertIn("two", result_of(frontend.request(query))["content"][0]["text"])
        for wrong in ({}, {"sql": ""}, {"sql": 1}, {"sql": "SELECT 1", "sqll": ""}):
            with self.subTest(arguments=wrong):
                self.assert_error(frontend.request(call("c", **wrong)), -32602)
        self.assert_error(frontend.request(call("d", sql="SELECT 1", format="xml")), -32602)
        self.assert_error(frontend.request(call("e", tool="get_processes")), -32602)

    def test_text(self):
        frontend = self.server()
        texts, failed = self.ask(
            frontend, "SELECT 'a' AS x, 1 AS y UNION SELECT 'b', 2 ORDER BY x", format="text"
        )
        self.assertEqual((texts, failed), (["x: a\ny: 1\n\nx: b\ny: 2"], False))

    def test_names_that_stand_twice(self):
        frontend = self.server()
        self.assertEqual(
            self.rows(frontend, "SELECT 1 AS a, 2 AS a, NULL AS b"),
            [{"a": "1", "a:1": "2", "b": ""}],
        )

    def test_extra_tools(self):
        frontend = self.server("--extra-tools")
        listed = result_of(frontend.request({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
        self.assertEqual(
            [tool["name"] for tool in listed["tools"]],
            ["query_osquery", "list_tables", "describe_table", "get_processes"],
        )

        def text(request):
            return json.loads(result_of(frontend.request(request))["content"][0]["text"])

        names = [row["name"] for row in text(call(2, tool="list_tables"))]
        self.assertIn("processes", names)
        self.assertNotIn("process_memory_map", names)
        columns = text(call(3, tool="describe_table", table="uptime"))
        self.assertIn({"name": "total_seconds", "type": "BIGINT"}, columns)
        self.assertEqual(len(text(call(4, tool="get_processes", limit=3))), 3)
        self.assertEqual(set(text(call(5, template="users"))[0]), {"username", "uid"})
        denied = result_of(frontend.request(call(6, tool="describe_table", table="shadow")))
        self.assertTrue(denied["isError"])
        self.assert_error(frontend.request(call(7, template="other")), -32602)
        self.assert_error(frontend.request(call(8, tool="describe_table")), -32602)
        self.assert_error(frontend.request(call(9, tool="list_tables", like="x")), -32602)

    def test_traffic_in_the_log_only_when_asked(self):
        for asked in ("1", ""):
            with self.subTest(MCP_DEBUG=asked):
                frontend = self.server(env={**without_osqueryi(), "MCP_DEBUG": asked})
                self.rows(frontend, "SELECT 'needle'")
                self.assertEqual(frontend.close_stdin(), 0)
                log = "\n".join(frontend.stderr.wait_end())
                self.assertEqual("needle" in log, bool(asked))


class Documents(TestCase):
    def test_every_setting_and_table_is_named(self):
        text = (ROOT / "docs" / "osquery.md").read_text(encoding="utf-8")
        settings = (ROOT / "src" / "osquery" / "settings.cc").read_text(encoding="utf-8")
        keys = re.findall(r'\{"(\w+)", &osquery::Settings::', settings)
        self.assertGreater(len(keys), 10)
        for key in keys:
            self.assertIn(f"| `{key}` |", text)
        query = json.dumps(call(1, sql="SELECT name FROM osquery_registry"))
        (line,) = pipe(query + "\n", "--engine", "builtin")
        tables = json.loads(result_of(json.loads(line))["content"][0]["text"])
        self.assertGreater(len(tables), 30)
        for table in tables:
            self.assertIn(f"`{table['name']}`", text)


if __name__ == "__main__":
    main()
