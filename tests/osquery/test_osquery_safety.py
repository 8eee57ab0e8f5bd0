"""What the osquery server refuses and truncates, with osqueryi present, absent, failing and
hanging."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import ROOT, TIMEOUT, main, result_of, wait_until
from osquery_case import ENDLESS, OsqueryCase, call, pipe, without_osqueryi

# What SQLite takes for one variable, or for a blank, and a plainer reading does not.
DISGUISED = (
    "SELECT result, $a(/*) AS a FROM curl --*/)",
    "SELECT result, $a(') FROM curl --')",
    "SELECT result FROM curl WHERE $a(--) IS NULL\n",
    "SELECT result, :a FROM curl",
    "SELECT result, @a$b::c(\"/*) FROM curl --\"*/)",
    "SELECT result FROM \ufeffcurl",
)


class Settings:
    denied_tables = ("carves", "curl", "curl_certificate", "process_envs", "process_memory_map",
                     "shadow", "shell_history", "yara", "yara_events")  # fmt: skip


class Refusals(OsqueryCase):
    def test_attacks(self):
        frontend = self.server()
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
                    self.refusal(frontend, sql)
                else:
                    self.assert_error(frontend.request(call("empty", sql=sql)), -32602)
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_harmless_things_that_look_alike(self):
        frontend = self.server()
        for sql in (
            "SELECT 1;",
            "SELECT 1 ; -- the end",
            "/* a comment */ SELECT 'PRAGMA; ATTACH curl' AS text",
            "SELECT pid AS curl FROM processes LIMIT 1",
            'SELECT 1 AS "shell_history"',
            ENDLESS + "i FROM n LIMIT 5",
            "EXPLAIN QUERY PLAN SELECT * FROM users",
            "SELECT * FROM (SELECT uid FROM users) AS u, (SELECT 1) "
            "WHERE u.uid IS NOT DISTINCT FROM 0",
        ):
            with self.subTest(sql=sql):
                self.assertTrue(self.rows(frontend, sql))

    def test_denied_tables_however_they_are_named(self):
        # process_memory_map exists, so that only the refusal prevents reading it.
        self.assertTrue(
            self.rows(self.server(denied_tables=[]), "SELECT * FROM process_memory_map LIMIT 1")
        )
        frontend = self.server()
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
                f"WITH a AS (WITH {denied} AS (SELECT 1) SELECT * FROM {denied}) "
                f"SELECT * FROM {denied}",
                f"SELECT 1 UNION SELECT 2 FROM {denied}",
                f"SELECT 1 ORDER BY (SELECT 1 FROM {denied})",
                f"EXPLAIN SELECT * FROM {denied}",
            ):
                with self.subTest(sql=sql):
                    self.assertIn(f"'{denied}' is not allowed", self.refusal(frontend, sql))

    def test_only_the_allowed_tables(self):
        frontend = self.server(allowed_tables=["System_Info", "users"])
        self.assertEqual(len(self.rows(frontend, "SELECT * FROM system_info, users LIMIT 1")), 1)
        self.assertIn("'processes'", self.refusal(frontend, "SELECT * FROM processes"))
        # The document's own check looks for a name anywhere in the text.
        self.refusal(frontend, "SELECT * FROM processes -- system_info")
        self.refusal(frontend, "SELECT 'system_info' FROM processes")

    def test_a_query_without_end_is_cut_and_then_refused(self):
        frontend = self.server(timeout="200ms")
        for number, sql in enumerate(
            (
                ENDLESS + "count(*) FROM n",
                "SELECT count(*) FROM processes a, processes b, processes c, processes d, users e",
            )
        ):
            with self.subTest(sql=sql):
                self.assertIn("took longer than 200ms", self.refusal(frontend, sql))
                self.assertIn("refused", self.refusal(frontend, sql))
                # The same in other clothes.
                again = sql.replace("SELECT", "select /* again */\n")
                self.assertIn("refused", self.refusal(frontend, again))
                self.assertEqual(self.rows(frontend, f"SELECT {number} AS x"), [{"x": str(number)}])

    def test_rows_bytes_and_memory_are_bounded(self):
        frontend = self.server(rows=100, bytes="64KiB", memory="8MiB")
        self.assertEqual(len(self.rows(frontend, ENDLESS + "i FROM n LIMIT 100")), 100)
        self.assertIn("more than 100 rows", self.refusal(frontend, ENDLESS + "i FROM n"))
        self.assertIn(
            "larger than 64KiB",
            self.refusal(frontend, ENDLESS + "printf('%.2000c', 'x') AS x FROM n LIMIT 90"),
        )
        self.refusal(frontend, "SELECT zeroblob(1000000000)")
        self.assertIn(
            "memory",
            self.refusal(
                frontend, ENDLESS + "max(i), group_concat(i) FROM (SELECT i FROM n ORDER BY -i)"
            ),
        )
        self.assertIn(
            "memory",
            self.refusal(
                frontend, ENDLESS + "DISTINCT hex(i) || printf('%.9000c', 'x') FROM n ORDER BY 1"
            ),
        )
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_a_cancelled_query_ends(self):
        frontend = self.server("--timeout", "1h", queries=1, waiting=0)
        frontend.send(call("endless", sql=ENDLESS + "max(i) FROM n"))
        # It has the only slot, so that another is refused meanwhile.
        wait_until(lambda: "too many" in self.ask(frontend, "SELECT 1")[0][-1], "the place to be taken")
        params = {"requestId": "endless", "reason": "enough"}
        frontend.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        wait_until(lambda: not self.ask(frontend, "SELECT 1")[1], "the place to be free")
        # A query that its caller cancelled is not counted as a failure.
        self.assertEqual(frontend.close_stdin(), 0)

    def test_the_end_of_input_waits_for_the_answer(self):
        asked = json.dumps(call("slow", sql="SELECT count(*) FROM processes a, processes b, users"))
        (line,) = pipe(asked + "\n", env=without_osqueryi())
        self.assertEqual(json.loads(line)["id"], "slow")


class Osqueryi(OsqueryCase):
    def test_it_is_asked_where_there_is_one(self):
        env = self.stand_in(
            'printf \'%s\\n\' "$@" >> "$0.args"; echo \'[{"hostname":"from osqueryi","n":5}]\''
        )
        frontend = self.server(env=env)
        sql = "SELECT hostname, '$(id)', `x` FROM system_info WHERE a = 'b; \"c\"'"
        self.assertEqual(
            self.ask(frontend, sql + " ; "),
            ([json.dumps([{"hostname": "from osqueryi", "n": "5"}], indent=2)], False),
        )
        arguments = (self.folder / "osqueryi.args").read_text(encoding="utf-8").splitlines()
        self.assertEqual((arguments[0], arguments[-1]), ("--json", sql))

    def test_what_it_must_not_be_asked(self):
        env = self.stand_in('echo asked >> "$0.args"; echo "[]"')
        frontend = self.server(env=env)
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
                self.refusal(frontend, sql)
        self.assertFalse((self.folder / "osqueryi.args").exists())

    def test_it_is_started_without_the_tables_that_are_denied(self):
        """Whatever the SQL, osqueryi does not have them."""
        env = self.stand_in(
            'printf "%s\\n" "$@" > "$0.args"; printf \'[{"name":"a","type":"b"}]\\n\''
        )

        def options(**settings):
            frontend = self.server("--extra-tools", env=env, **settings)
            self.rows(frontend, "SELECT 1 FROM users")
            arguments = (self.folder / "osqueryi.args").read_text(encoding="utf-8").splitlines()
            return frontend, arguments[:-1]

        usual = ["--json", "--disable_extensions"]
        denied = Settings.denied_tables
        self.assertEqual(options()[1], [*usual, "--disable_tables=" + ",".join(denied)])
        frontend, found = options(denied_tables=["Curl", "yara"], allowed_tables=["Users", "time"])
        self.assertEqual(
            found, [*usual, "--disable_tables=curl,yara", "--enable_tables=users,time"]
        )
        # Our own questions get the one table that they need.
        for request, only in (
            (call(1, tool="list_tables"), "osquery_registry"),
            (call(2, tool="describe_table", table="time"), "time"),
        ):
            self.assertFalse(result_of(frontend.request(request)).get("isError", False))
            arguments = (self.folder / "osqueryi.args").read_text(encoding="utf-8").splitlines()
            self.assertEqual(arguments[:-1], [*usual, f"--enable_tables={only}"])

    def test_what_it_reads_otherwise_than_we_do(self):
        env = self.real_stand_in()
        frontend = self.server(env=env)
        self.assertEqual(self.rows(frontend, "SELECT username FROM users"), [{"username": "root"}])
        for sql in DISGUISED:
            with self.subTest(sql=sql):
                # It is valid SQL that reads the table: only what is in between keeps it from that.
                self.assertEqual(self.unfenced(sql), "fetched")
                self.refusal(frontend, sql)
        self.assertEqual(self.rows(frontend, "SELECT username FROM users"), [{"username": "root"}])
        frontend = self.server(env=env, denied_tables=[], allowed_tables=["users"])
        for sql in DISGUISED:
            with self.subTest(sql=sql):
                self.refusal(frontend, sql)
        # A version that does not know an option is no reason to do without the fence.
        script = self.folder / "osqueryi"
        script.write_text(script.read_text(encoding="utf-8").replace("enable_tables", "x"))
        self.assertIn("unknown command line flag", self.refusal(frontend, "SELECT 1 FROM users"))

    def real_stand_in(self):
        script = self.folder / "osqueryi"
        script.write_text((ROOT / "testing" / "stand_in_osqueryi.py").read_text(encoding="utf-8"))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return {"PATH": f"{self.folder}:/usr/bin:/bin"}

    def unfenced(self, sql):
        args = [str(self.folder / "osqueryi"), "--json", sql]
        done = subprocess.run(args, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        (row,) = json.loads(done.stdout)
        return row["result"]

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
                frontend = self.server(env=self.stand_in(script))
                self.assertIn(wanted, self.refusal(frontend, "SELECT * FROM system_info"))
                self.assertEqual(frontend.close_stdin(), 0)
                self.assertIn("query failed", "\n".join(frontend.stderr.wait_end()))

    def test_no_rows_are_no_failure(self):
        frontend = self.server(env=self.stand_in("echo '[]'; echo 'W0101 a warning' >&2"))
        self.assertEqual(self.ask(frontend, "SELECT 1"), (["[]"], False))

    def test_it_hangs(self):
        env = self.stand_in('echo $$ > "$0.pid"; sleep 1000')
        frontend = self.server("--timeout", "200ms", env=env)
        self.assertIn("took longer than 200ms", self.refusal(frontend, "SELECT 1"))
        pid = int((self.folder / "osqueryi.pid").read_text(encoding="utf-8"))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertIn("refused", self.refusal(frontend, "SELECT 1"))

    def test_it_prints_without_end(self):
        frontend = self.server(env=self.stand_in("exec cat /dev/zero"), bytes="64KiB")
        self.assertIn("larger than 64KiB", self.refusal(frontend, "SELECT 1"))

    def test_answers_larger_than_a_pipe(self):
        env = self.stand_in(
            "printf '[{\"x\":\"'; head -c 3000000 /dev/zero | tr '\\0' y; echo '\"}]'"
        )
        frontend = self.server(env=env)
        (row,) = self.rows(frontend, "SELECT x FROM system_info")
        self.assert_same_text(row["x"], "y" * 3_000_000)

    def test_absent(self):
        frontend = self.server()
        self.assertEqual(len(self.rows(frontend, "SELECT * FROM system_info")), 1)
        self.assertIn(
            "osqueryi is not installed", self.refusal(frontend, "SELECT * FROM kernel_panics")
        )
        frontend = self.server("--engine", "osqueryi")
        self.assertIn("'osqueryi'", self.refusal(frontend, "SELECT * FROM system_info"))

    def test_the_engine_can_be_chosen(self):
        env = self.stand_in('echo \'[{"x":"osqueryi"}]\'')
        frontend = self.server("--engine", "builtin", env=env)
        self.assertEqual(self.rows(frontend, "SELECT 'builtin' AS x"), [{"x": "builtin"}])
        elsewhere = self.folder / "elsewhere"
        (self.folder / "osqueryi").rename(elsewhere)
        frontend = self.server("--osqueryi", str(elsewhere))
        self.assertEqual(self.rows(frontend, "SELECT 1"), [{"x": "osqueryi"}])

    def test_its_own_tables_are_listed(self):
        env = self.stand_in(
            'case "$*" in *registry*) '
            'echo \'[{"name":"curl"},{"name":"time"},{"name":"yum_sources"}]\';;'
            ' *) echo \'[{"name":"baseurl","type":"TEXT"}]\';; esac'
        )
        frontend = self.server("--extra-tools", env=env)
        listed = result_of(frontend.request(call(1, tool="list_tables")))["content"][0]["text"]
        self.assertEqual(json.loads(listed), [{"name": "time"}, {"name": "yum_sources"}])
        columns = result_of(frontend.request(call(2, tool="describe_table", table="yum_sources")))
        self.assertEqual(
            json.loads(columns["content"][0]["text"]), [{"name": "baseurl", "type": "TEXT"}]
        )

    def test_the_server_ends_while_it_runs(self):
        env = self.stand_in('echo $$ > "$0.pid"; sleep 1000')
        frontend = self.server("--timeout", "1h", env=env)
        frontend.send(call(1, sql="SELECT 1"))
        file = self.folder / "osqueryi.pid"
        wait_until(lambda: file.exists() and file.read_text(encoding="utf-8").strip())
        frontend.process.send_signal(signal.SIGKILL)
        frontend.process.wait()
        pid = int(file.read_text(encoding="utf-8"))
        wait_until(lambda: not pathlib.Path(f"/proc/{pid}/cmdline").exists(), "its end")


if __name__ == "__main__":
    main()
