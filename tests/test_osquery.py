"""The osquery MCP server: the handshake and the pipes of its document, the built-in tables against
what the system says by other means, what it refuses, and osqueryi present, absent and broken."""

import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile

from fake_bus import FakeBus
from harness import (
    BINARY,
    LEGACY_VERSIONS,
    MODERN,
    PATIENCE,
    ROOT,
    StdioFace,
    TestCase,
    clean_environment,
    main,
    modern_message,
    result_of,
    to_yaml,
    wait_until,
)

HANDSHAKE = (
    '{"jsonrpc":"2.0","id":"1","method":"initialize","params":{"protocolVersion":"2024-11-05",'
    '"capabilities":{"tools":{}},"clientInfo":{"name":"spring-ai-agent","version":"1.0.0"}}}'
)
HANDSHAKE_ANSWER = (
    '{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},'
    '"serverInfo":{"name":"osquery-mcp-server","version":"1.0.0"}}}'
)


def call(request_id, tool="query_osquery", **arguments):
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def without_osqueryi():
    """A PATH on which there is none, so that the built-in tables answer."""
    return {"PATH": "/nowhere"}


def pipe(text, *args, command=None, env=None):
    """Pipes text through the server to its end; gives the lines it printed."""
    done = subprocess.run(
        command or [BINARY, "osquery", *args],
        input=text,
        env=clean_environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


class OsqueryCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def server(self, *args, env=None, **settings):
        command = [BINARY, "osquery", *args]
        if settings:
            config = self.folder / "osquery.yaml"
            config.write_text(to_yaml(settings), encoding="utf-8")
            command += ["-c", str(config)]
        return self.enterContext(StdioFace(command, env=env or without_osqueryi()))

    def ask(self, face, sql, **arguments):
        """The texts of the answer, and whether it is an error."""
        self.asked = getattr(self, "asked", 0) + 1
        result = result_of(face.request(call(self.asked, sql=sql, **arguments)))
        return [item["text"] for item in result["content"]], result.get("isError", False)

    def rows(self, face, sql):
        texts, failed = self.ask(face, sql)
        self.assertFalse(failed, texts)
        self.assertEqual(len(texts), 1)
        return json.loads(texts[0])

    def refusal(self, face, sql):
        """Why the query failed: no rows, and after them the reason."""
        texts, failed = self.ask(face, sql)
        self.assertTrue(failed, f"{sql!r} was answered: {texts}")
        self.assertEqual((len(texts), texts[0]), (2, "[]"))
        return texts[1]

    def stand_in(self, script):
        """An osqueryi that is a shell script."""
        program = self.folder / "osqueryi"
        program.write_text("#!/bin/sh\n" + script + "\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return {"PATH": f"{self.folder}:/usr/bin:/bin"}


class Pipes(TestCase):
    """The commands of the document, by all names of the server."""

    def commands(self):
        folder = pathlib.Path(BINARY).parent
        return [
            [BINARY, "osquery"],
            [str(folder / "osquery-mcp-server")],
            [str(folder / "osquery-mcp-server.py")],
        ]

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

    def test_errors_in_the_words_of_the_document(self):
        asked = '{"jsonrpc":"2.0","id":"x","method":"resources/list"}\nthis is no JSON\n'
        answers = {
            answer["id"]: answer["error"] for answer in map(json.loads, pipe(asked))
        }
        self.assertEqual(answers["x"]["code"], -32601)
        self.assertEqual(answers["x"]["message"], "Method not found: resources/list")
        self.assertEqual(answers[None]["code"], -32700)
        self.assertEqual(answers[None]["message"], "Parse error: Invalid JSON")

    def test_a_file_and_wrong_words(self):
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
        for version in ("2024-11-05", *LEGACY_VERSIONS):
            with self.subTest(version=version):
                face = self.server()
                params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}
                opened = result_of(
                    face.request(
                        {"jsonrpc": "2.0", "id": "1", "method": "initialize", "params": params}
                    )
                )
                self.assertEqual(opened["protocolVersion"], version)
                face.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                ping = {"jsonrpc": "2.0", "id": "2", "method": "ping"}
                self.assertEqual(result_of(face.request(ping)), {})
                self.assertEqual(len(self.rows(face, "SELECT * FROM system_info")), 1)
                self.assertEqual(face.close_stdin(), 0)
                # The tools never change, so nobody is told that they have.
                self.assertNotIn("notifications/", "\n".join(face.stdout.wait_end()))

    def test_the_stateless_revision(self):
        face = self.server()
        message = modern_message(
            "tools/call",
            {"name": "query_osquery", "arguments": {"sql": "SELECT 6 * 7 AS answer"}},
            5,
        )
        result = result_of(face.request(message))
        self.assertEqual(json.loads(result["content"][0]["text"]), [{"answer": "42"}])
        found = result_of(face.request(modern_message("server/discover", {}, 6)))
        self.assertEqual(found["supportedVersions"], [MODERN])
        self.assertEqual(found["capabilities"], {"tools": {}})

    def test_sql_or_query(self):
        face = self.server()
        both = call("a", sql="SELECT 1 AS one", query="SELECT 2 AS two")
        self.assertIn("one", result_of(face.request(both))["content"][0]["text"])
        query = call("b", query="SELECT 2 AS two")
        self.assertIn("two", result_of(face.request(query))["content"][0]["text"])
        for wrong in ({}, {"sql": ""}, {"sql": 1}, {"sql": "SELECT 1", "sqll": ""}):
            with self.subTest(arguments=wrong):
                self.assert_error(face.request(call("c", **wrong)), -32602)
        self.assert_error(face.request(call("d", sql="SELECT 1", format="xml")), -32602)
        self.assert_error(face.request(call("e", tool="get_processes")), -32602)

    def test_text(self):
        face = self.server()
        texts, failed = self.ask(
            face, "SELECT 'a' AS x, 1 AS y UNION SELECT 'b', 2 ORDER BY x", format="text"
        )
        self.assertEqual((texts, failed), (["x: a\ny: 1\n\nx: b\ny: 2"], False))

    def test_names_that_stand_twice(self):
        face = self.server()
        self.assertEqual(
            self.rows(face, "SELECT 1 AS a, 2 AS a, NULL AS b"),
            [{"a": "1", "a:1": "2", "b": ""}],
        )

    def test_extra_tools(self):
        face = self.server("--extra-tools")
        listed = result_of(face.request({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
        self.assertEqual(
            [tool["name"] for tool in listed["tools"]],
            ["query_osquery", "list_tables", "describe_table", "get_processes"],
        )

        def text(request):
            return json.loads(result_of(face.request(request))["content"][0]["text"])

        names = [row["name"] for row in text(call(2, tool="list_tables"))]
        self.assertIn("processes", names)
        self.assertNotIn("process_memory_map", names)
        columns = text(call(3, tool="describe_table", table="uptime"))
        self.assertIn({"name": "total_seconds", "type": "BIGINT"}, columns)
        self.assertEqual(len(text(call(4, tool="get_processes", limit=3))), 3)
        self.assertEqual(set(text(call(5, template="users"))[0]), {"username", "uid"})
        denied = result_of(face.request(call(6, tool="describe_table", table="shadow")))
        self.assertTrue(denied["isError"])
        self.assert_error(face.request(call(7, template="other")), -32602)

    def test_traffic_in_the_log_only_when_asked(self):
        for asked in ("1", ""):
            with self.subTest(MCP_DEBUG=asked):
                face = self.server(env={**without_osqueryi(), "MCP_DEBUG": asked})
                self.rows(face, "SELECT 'needle'")
                self.assertEqual(face.close_stdin(), 0)
                log = "\n".join(face.stderr.wait_end())
                self.assertEqual("needle" in log, bool(asked))


class Tables(OsqueryCase):
    """What the built-in tables say is what the system says elsewhere."""

    def test_every_table_can_be_read_whole(self):
        face = self.server(denied_tables=[])
        names = [
            row["name"]
            for row in self.rows(face, "SELECT name FROM osquery_registry WHERE active = 1")
        ]
        self.assertGreaterEqual(len(names), 34)
        for name in names:
            with self.subTest(name):
                where = " WHERE path = '/etc/passwd'" if name in ("file", "hash") else ""
                self.rows(face, f"SELECT * FROM {name}{where} LIMIT 5")

    def test_a_process(self):
        face = self.server()
        child = subprocess.Popen(["sleep", "1000"], cwd="/usr")
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(
            lambda: self.rows(face, f"SELECT name FROM processes WHERE pid = {child.pid}")
            == [{"name": "sleep"}]
        )
        (row,) = self.rows(face, f"SELECT * FROM processes WHERE pid = {child.pid}.0")
        self.assertEqual(row["cmdline"], "sleep 1000")
        self.assertEqual(row["cwd"], "/usr")
        self.assertEqual(row["parent"], str(os.getpid()))
        self.assertEqual((row["uid"], row["euid"]), (str(os.getuid()), str(os.geteuid())))
        self.assertEqual(row["path"], os.readlink(f"/proc/{child.pid}/exe"))
        self.assertEqual(row["on_disk"], "1")
        self.assertEqual(row["threads"], "1")

    def test_all_processes_are_listed_with_their_parents(self):
        face = self.server()
        listed = {row["pid"] for row in self.rows(face, "SELECT pid FROM processes")}
        self.assertIn(str(os.getpid()), listed)
        self.assertIn(str(face.process.pid), listed)
        joined = self.rows(
            face,
            "SELECT c.pid FROM processes c JOIN processes p ON c.parent = p.pid "
            f"WHERE p.pid = {os.getpid()}",
        )
        self.assertIn({"pid": str(face.process.pid)}, joined)

    def test_who_listens(self):
        face = self.server()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            rows = self.rows(
                face,
                "SELECT p.pid, p.name, l.port, l.address, l.family, l.protocol, l.fd "
                "FROM listening_ports l JOIN processes p USING (pid) "
                f"WHERE l.port = {port}",
            )
            name = pathlib.Path("/proc/self/comm").read_text(encoding="utf-8").strip()
            self.assertEqual(
                rows,
                [
                    {
                        "pid": str(os.getpid()),
                        "name": name,
                        "port": str(port),
                        "address": "127.0.0.1",
                        "family": str(int(socket.AF_INET)),
                        "protocol": "6",
                        "fd": str(listener.fileno()),
                    }
                ],
            )
            with socket.create_connection(("127.0.0.1", port)) as connection:
                own = connection.getsockname()[1]
                rows = self.rows(
                    face,
                    "SELECT fd, remote_address, remote_port, state FROM process_open_sockets "
                    f"WHERE pid = {os.getpid()} AND local_port = {own}",
                )
                self.assertEqual(
                    rows,
                    [
                        {
                            "fd": str(connection.fileno()),
                            "remote_address": "127.0.0.1",
                            "remote_port": str(port),
                            "state": "ESTABLISHED",
                        }
                    ],
                )

    def test_open_files(self):
        face = self.server()
        with tempfile.NamedTemporaryFile() as open_file:
            rows = self.rows(
                face,
                f"SELECT path FROM process_open_files WHERE pid = {os.getpid()} "
                f"AND fd = {open_file.fileno()}",
            )
            self.assertEqual(rows, [{"path": open_file.name}])

    def test_files_below_the_allowed_folders_only(self):
        allowed = self.folder / "allowed"
        allowed.mkdir()
        secret = self.folder / "secret"
        secret.write_text("secret", encoding="utf-8")
        (allowed / "plain").write_text("hello\n", encoding="utf-8")
        (allowed / "out").symlink_to(secret)
        (allowed / "up").symlink_to(self.folder)
        os.mkfifo(allowed / "pipe")
        face = self.server(file_roots=[str(allowed)])

        def paths(where, table="file"):
            return [
                pathlib.Path(row["path"]).name
                for row in self.rows(face, f"SELECT path FROM {table} WHERE {where} ORDER BY path")
            ]

        self.assertEqual(paths(f"directory = '{allowed}'"), ["out", "pipe", "plain", "up"])
        self.assertEqual(paths(f"path LIKE '{allowed}/pl%'"), ["plain"])
        self.assertEqual(paths(f"path = '{allowed}/plain'"), ["plain"])
        for hidden in (
            f"path = '{secret}'",
            f"path = '{allowed}/../secret'",
            f"path = '{allowed}/up/secret'",
            f"directory = '{allowed}/up'",
            f"directory = '{self.folder}'",
            f"path LIKE '{allowed}/up/%'",
            "path = '/proc/self/environ'",
        ):
            with self.subTest(hidden):
                self.assertEqual(paths(hidden), [])
        digests = self.rows(face, f"SELECT path, sha256 FROM hash WHERE directory = '{allowed}'")
        self.assertEqual(
            digests,
            [
                {
                    "path": f"{allowed}/plain",
                    "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                }
            ],
        )
        self.assertIn("needs path", self.refusal(face, "SELECT * FROM file"))

    def test_units_of_systemd(self):
        unit = ("a.service", "The a", "loaded", "active", "running", "", "/u/a", 7, "start", "/j/7")
        other = ("b.target", "B", "loaded", "inactive", "dead", "", "/u/b", 0, "", "/")
        bus = FakeBus(self.folder, [unit, other], {"FragmentPath": "/etc/a", "User": "nobody"})
        self.addCleanup(bus.close)
        face = self.server(env={**without_osqueryi(), **bus.environment})
        row = self.rows(face, "SELECT * FROM systemd_units WHERE id = 'a.service'")
        self.assertEqual(
            row,
            [
                {
                    "id": "a.service",
                    "description": "The a",
                    "load_state": "loaded",
                    "active_state": "active",
                    "sub_state": "running",
                    "unit_file_state": "",
                    "following": "",
                    "object_path": "/u/a",
                    "job_id": "7",
                    "job_type": "start",
                    "job_path": "/j/7",
                    "fragment_path": "/etc/a",
                    "user": "nobody",
                    "source_path": "",
                }
            ],
        )
        states = self.rows(face, "SELECT id, active_state FROM systemd_units")
        self.assertEqual([state["id"] for state in states], ["a.service", "b.target"])
        # Where there is no systemd there are no units.
        nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
        face = self.server(env={**without_osqueryi(), **nowhere})
        self.assertEqual(self.rows(face, "SELECT * FROM systemd_units"), [])

    def test_accounts(self):
        face = self.server()
        (root,) = self.rows(face, "SELECT * FROM users WHERE username = 'root'")
        self.assertEqual((root["uid"], root["directory"]), ("0", "/root"))
        groups = self.rows(
            face,
            "SELECT g.groupname FROM users u JOIN user_groups USING (uid) "
            "JOIN groups g ON g.gid = user_groups.gid WHERE u.username = 'root'",
        )
        self.assertIn({"groupname": "root"}, groups)


class Refusals(OsqueryCase):
    def test_attacks(self):
        face = self.server()
        for sql in (
            "SELECT 1; SELECT 2",
            "SELECT 1; DROP TABLE processes",
            "SELECT 1;;; ATTACH '/tmp/x' AS x",
            "ATTACH DATABASE '/tmp/x.db' AS x",
            "PRAGMA table_info(processes)",
            "PRAGMA database_list",
            "SELECT * FROM pragma_database_list",
            "SELECT count(*) FROM pragma_function_list",
            "SELECT * FROM sqlite_master",
            "SELECT * FROM sqlite_temp_schema",
            "VACUUM INTO '/tmp/x.db'",
            "CREATE TABLE t(x)",
            "CREATE VIEW v AS SELECT * FROM process_envs",
            "CREATE TEMP VIEW v AS SELECT 1",
            "INSERT INTO users VALUES (1)",
            "DELETE FROM processes",
            "WITH x AS (SELECT 1) DELETE FROM processes",
            "WITH x AS (SELECT 1) INSERT INTO users SELECT * FROM x",
            "EXPLAIN DELETE FROM processes",
            "REPLACE INTO users VALUES (1)",
            "BEGIN",
            "SELECT load_extension('/tmp/x.so')",
            "SELECT readfile('/etc/shadow')",
            "SELECT writefile('/tmp/x', 'x')",
            "--extension /tmp/x.ext",
            "-- SELECT 1\nSELECT 1",
            ".tables",
            "  .shell id",
            "/* SELECT */ PRAGMA database_list",
            "VALUES (1)",
            "",
            ";",
            "SELECT 'not closed",
            "SELECT 1\0; SELECT 2",
            "SELECT * FROM no_such_table",
            "SELECT * FROM json_each('[1]')",
            "SELECT " + "(" * 200 + "1" + ")" * 200,
            "SELECT 1" + " UNION SELECT 1" * 30,
            "SELECT ?1",
        ):
            with self.subTest(sql=sql[:80]):
                if sql:
                    self.refusal(face, sql)
                else:
                    self.assert_error(face.request(call("empty", sql=sql)), -32602)
        self.assertEqual(self.rows(face, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_harmless_things_that_look_alike(self):
        face = self.server()
        for sql in (
            "SELECT 1;",
            "SELECT 1 ; -- the end",
            "/* a comment */ SELECT 'PRAGMA; ATTACH curl' AS text",
            "SELECT pid AS curl FROM processes LIMIT 1",
            'SELECT 1 AS "shell_history"',
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
            "EXPLAIN QUERY PLAN SELECT * FROM users",
            "SELECT * FROM (SELECT uid FROM users) AS u, (SELECT 1 AS one) WHERE u.uid IS NOT DISTINCT FROM 0",
        ):
            with self.subTest(sql=sql):
                self.assertTrue(self.rows(face, sql))

    def test_denied_tables_however_they_are_named(self):
        # process_memory_map is there to be read, so that only the refusal keeps it from being.
        self.assertTrue(
            self.rows(self.server(denied_tables=[]), "SELECT * FROM process_memory_map LIMIT 1")
        )
        face = self.server()
        for denied in (
            "carves",
            "curl",
            "process_envs",
            "process_memory_map",
            "shell_history",
            "yara",
        ):
            for sql in (
                f"SELECT * FROM {denied}",
                f"SELECT count(*) FROM {denied}",
                f"SELECT * FROM {denied.upper()}",
                f'SELECT * FROM "{denied}"',
                f"SELECT * FROM [{denied}]",
                f"SELECT * FROM `{denied.title()}`",
                f"SELECT * FROM '{denied}'",
                f"SELECT * FROM main.{denied}",
                f"SELECT * FROM/**/{denied}",
                f"SELECT * FROM users, {denied}",
                f"SELECT * FROM users u JOIN {denied} x ON 1",
                f"SELECT * FROM (users, ({denied}))",
                f"SELECT (SELECT 1 FROM {denied})",
                f"SELECT * FROM users WHERE uid IN (SELECT 1 FROM {denied})",
                f"SELECT * FROM users WHERE uid IN {denied}",
                f"SELECT 1 WHERE EXISTS (SELECT * FROM {denied})",
                f"WITH x AS (SELECT * FROM {denied}) SELECT 1 FROM x",
                f"WITH a AS (WITH {denied} AS (SELECT 1) SELECT * FROM {denied}) SELECT * FROM {denied}",
                f"SELECT 1 UNION SELECT 2 FROM {denied}",
                f"SELECT 1 ORDER BY (SELECT 1 FROM {denied})",
                f"EXPLAIN SELECT * FROM {denied}",
            ):
                with self.subTest(sql=sql):
                    self.assertIn(f"'{denied}' is not allowed", self.refusal(face, sql))

    def test_only_the_allowed_tables(self):
        face = self.server(allowed_tables=["System_Info", "users"])
        self.assertEqual(len(self.rows(face, "SELECT * FROM system_info, users LIMIT 1")), 1)
        self.assertIn("'processes'", self.refusal(face, "SELECT * FROM processes"))
        # The document's own check looks for a name anywhere in the text.
        self.refusal(face, "SELECT * FROM processes -- system_info")
        self.refusal(face, "SELECT 'system_info' FROM processes")

    def test_a_query_without_end_is_cut_and_then_refused(self):
        face = self.server(timeout="200ms")
        for number, sql in enumerate(
            (
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
                "SELECT count(*) FROM processes a, processes b, processes c, processes d, users e",
            )
        ):
            with self.subTest(sql=sql):
                self.assertIn("took longer than 200ms", self.refusal(face, sql))
                self.assertIn("refused", self.refusal(face, sql))
                # The same in other clothes.
                again = sql.replace("SELECT", "select /* again */\n")
                self.assertIn("refused", self.refusal(face, again))
                self.assertEqual(self.rows(face, f"SELECT {number} AS x"), [{"x": str(number)}])

    def test_rows_bytes_and_memory_are_bounded(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
        face = self.server(rows=100, bytes="64KiB", memory="8MiB")
        self.assertEqual(len(self.rows(face, endless + "i FROM n LIMIT 100")), 100)
        self.assertIn("more than 100 rows", self.refusal(face, endless + "i FROM n"))
        self.assertIn(
            "larger than 64KiB",
            self.refusal(face, endless + "printf('%.2000c', 'x') AS x FROM n LIMIT 90"),
        )
        self.refusal(face, "SELECT zeroblob(1000000000)")
        self.assertIn(
            "memory",
            self.refusal(face, endless + "max(i), group_concat(i) FROM (SELECT i FROM n ORDER BY -i)"),
        )
        self.assertIn("memory", self.refusal(face, endless + "DISTINCT hex(i) || printf('%.9000c', 'x') FROM n ORDER BY 1"))
        self.assertEqual(self.rows(face, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_a_cancelled_query_ends(self):
        face = self.server("--timeout", "1h", queries=1, waiting=0)
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        face.send(call("endless", sql=endless))
        # It has the only place, so that another is refused meanwhile.
        wait_until(
            lambda: "too many" in self.ask(face, "SELECT 1")[0][-1], "the place to be taken"
        )
        params = {"requestId": "endless", "reason": "enough"}
        face.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        wait_until(lambda: not self.ask(face, "SELECT 1")[1], "the place to be free")
        # What its asker gave up is no offence.
        self.assertEqual(face.close_stdin(), 0)

    def test_the_end_of_input_waits_for_the_answer(self):
        asked = json.dumps(call("slow", sql="SELECT count(*) FROM processes a, processes b, users"))
        (line,) = pipe(asked + "\n", env=without_osqueryi())
        self.assertEqual(json.loads(line)["id"], "slow")


class Osqueryi(OsqueryCase):
    def test_it_is_asked_where_there_is_one(self):
        env = self.stand_in(
            'printf \'%s\\n\' "$@" >> "$0.args"; echo \'[{"hostname":"from osqueryi","n":5}]\''
        )
        face = self.server(env=env)
        sql = "SELECT hostname, $(id), `x` FROM system_info WHERE a = 'b; \"c\"'"
        self.assertEqual(
            self.ask(face, sql + " ; "),
            ([json.dumps([{"hostname": "from osqueryi", "n": "5"}], indent=2)], False),
        )
        arguments = (self.folder / "osqueryi.args").read_text(encoding="utf-8").splitlines()
        self.assertEqual(arguments, ["--json", sql])

    def test_what_it_must_not_be_asked(self):
        env = self.stand_in('echo asked >> "$0.args"; echo "[]"')
        face = self.server(env=env)
        for sql in (
            "--extension /tmp/x",
            " .help",
            "SELECT 1; SELECT 2",
            "ATTACH '/tmp/x' AS x",
            "PRAGMA x",
            "SELECT * FROM curl WHERE url = 'http://127.0.0.1/'",
            "SELECT * FROM users JOIN shell_history USING (uid)",
            "WITH curl AS (SELECT 1) SELECT * FROM (SELECT 1), main.curl",
            "SELECT 1 FROM users WHERE uid IN carves",
        ):
            with self.subTest(sql=sql):
                self.refusal(face, sql)
        self.assertFalse((self.folder / "osqueryi.args").exists())

    def test_its_failures(self):
        for script, wanted in (
            ("echo 'Error: no such table: x' >&2; exit 1", "no such table: x"),
            ("echo '['; echo ']'; echo 'Error: near x: syntax error' >&2", "near x: syntax error"),
            ("echo this is no JSON", "invalid JSON"),
            ("echo '{}'", "no array"),
            ("echo '[1]'", "no object"),
            ("kill -9 $$", "signal 9"),
            ("exit 3", "status 3"),
        ):
            with self.subTest(script=script):
                face = self.server(env=self.stand_in(script))
                self.assertIn(wanted, self.refusal(face, "SELECT * FROM system_info"))
                self.assertEqual(face.close_stdin(), 0)
                self.assertIn("query failed", "\n".join(face.stderr.wait_end()))

    def test_no_rows_are_no_failure(self):
        face = self.server(env=self.stand_in("echo '[]'; echo 'W0101 a warning' >&2"))
        self.assertEqual(self.ask(face, "SELECT 1"), (["[]"], False))

    def test_it_hangs(self):
        env = self.stand_in('echo $$ > "$0.pid"; sleep 1000')
        face = self.server("--timeout", "200ms", env=env)
        self.assertIn("took longer than 200ms", self.refusal(face, "SELECT 1"))
        pid = int((self.folder / "osqueryi.pid").read_text(encoding="utf-8"))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertIn("refused", self.refusal(face, "SELECT 1"))

    def test_it_prints_without_end(self):
        face = self.server(env=self.stand_in("exec cat /dev/zero"), bytes="64KiB")
        self.assertIn("larger than 64KiB", self.refusal(face, "SELECT 1"))

    def test_answers_larger_than_a_pipe(self):
        env = self.stand_in('printf \'[{"x":"\'; head -c 3000000 /dev/zero | tr \'\\0\' y; echo \'"}]\'')
        face = self.server(env=env)
        (row,) = self.rows(face, "SELECT x FROM system_info")
        self.assert_same_text(row["x"], "y" * 3_000_000)

    def test_absent(self):
        face = self.server()
        self.assertEqual(len(self.rows(face, "SELECT * FROM system_info")), 1)
        self.assertIn("osqueryi is not installed", self.refusal(face, "SELECT * FROM kernel_panics"))
        face = self.server("--engine", "osqueryi")
        self.assertIn("'osqueryi'", self.refusal(face, "SELECT * FROM system_info"))

    def test_the_engine_can_be_chosen(self):
        env = self.stand_in("echo '[{\"x\":\"osqueryi\"}]'")
        face = self.server("--engine", "builtin", env=env)
        self.assertEqual(self.rows(face, "SELECT 'builtin' AS x"), [{"x": "builtin"}])
        elsewhere = self.folder / "elsewhere"
        (self.folder / "osqueryi").rename(elsewhere)
        face = self.server("--osqueryi", str(elsewhere))
        self.assertEqual(self.rows(face, "SELECT 1"), [{"x": "osqueryi"}])

    def test_its_own_tables_are_listed(self):
        env = self.stand_in(
            'case "$2" in *registry*) echo \'[{"name":"curl"},{"name":"time"},{"name":"yum_sources"}]\';;'
            ' *) echo \'[{"name":"baseurl","type":"TEXT"}]\';; esac'
        )
        face = self.server("--extra-tools", env=env)
        listed = result_of(face.request(call(1, tool="list_tables")))["content"][0]["text"]
        self.assertEqual(json.loads(listed), [{"name": "time"}, {"name": "yum_sources"}])
        columns = result_of(face.request(call(2, tool="describe_table", table="yum_sources")))
        self.assertEqual(
            json.loads(columns["content"][0]["text"]), [{"name": "baseurl", "type": "TEXT"}]
        )

    def test_the_server_ends_while_it_runs(self):
        env = self.stand_in('echo $$ > "$0.pid"; sleep 1000')
        face = self.server("--timeout", "1h", env=env)
        face.send(call(1, sql="SELECT 1"))
        file = self.folder / "osqueryi.pid"
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").strip())
        face.process.send_signal(signal.SIGKILL)
        face.process.wait()
        pid = int(file.read_text(encoding="utf-8"))
        wait_until(lambda: not pathlib.Path(f"/proc/{pid}/cmdline").exists(), "its end")


class Documents(TestCase):
    def test_every_setting_and_table_is_named(self):
        text = (ROOT / "docs" / "osquery.md").read_text(encoding="utf-8")
        settings = (ROOT / "src" / "osquery" / "settings.h").read_text(encoding="utf-8")
        keys = re.findall(r'Field\{"(\w+)"', settings)
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
