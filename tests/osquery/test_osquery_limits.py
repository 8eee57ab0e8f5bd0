"""Limits of one query, and isolation: a query that hangs, exhausts memory or dies affects nothing
else. Both engines, and the default configuration."""

import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import Gateway, TestCase, alive, main, result_of, wait_until
from osquery_case import ENDLESS, OsqueryCase, call

SANITIZED = "PATCHBAY_TEST_SANITIZED" in os.environ

# One call of a function that takes minutes, in which SQLite cannot be interrupted.
LONG_FUNCTION = "SELECT instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || '1') AS x"

BOMBS = (
    "SELECT length(randomblob(1000000000))",
    "SELECT length(zeroblob(2000000000))",
    "SELECT length(replace(hex(zeroblob(2000000)), '0', hex(zeroblob(1000000))))",
    "SELECT length(char(1) || group_concat(x)) FROM (" + ENDLESS + "hex(randomblob(9000)) AS x FROM n "
    "LIMIT 5000)",
    ENDLESS + "count(*) FROM (SELECT DISTINCT hex(randomblob(9000)) FROM n)",
    ENDLESS + "count(*) FROM (SELECT i FROM n ORDER BY randomblob(9000))",
    "WITH RECURSIVE n(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT max(length(s)) FROM n",
    "WITH RECURSIVE n(j) AS (SELECT '[]' UNION ALL SELECT json_array(j, j) FROM n) "
    "SELECT max(length(j)) FROM n",
    "SELECT " + ", ".join(f"hex(randomblob(2000000)) AS c{n}" for n in range(150)),
)


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text(encoding="ascii").split()
    return [int(one) for one in found if alive(int(one))]


def peak_memory(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


class Limits(OsqueryCase):
    def test_a_function_that_cannot_be_interrupted(self):
        frontend = self.server(timeout="300ms")
        self.assertIn("took longer than 300ms", self.refusal(frontend, LONG_FUNCTION))
        self.assertIn("refused", self.refusal(frontend, LONG_FUNCTION))
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])
        self.assertEqual(frontend.close_stdin(), 0)

    def test_processor_time(self):
        frontend = self.server(cpu_timeout="1s", timeout="1h")
        self.assertIn("more than 1s of processor time", self.refusal(frontend, ENDLESS + "max(i) FROM n"))
        self.assertIn("refused", self.refusal(frontend, ENDLESS + "max(i) FROM n"))
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])

    @unittest.skipIf(SANITIZED, "memory figures mean nothing")
    def test_memory(self):
        frontend = self.server(memory="24MiB", rows=10_000_000, bytes="64MiB")
        self.rows(frontend, "SELECT 1")
        (process,) = children(frontend.process.pid)
        usual = peak_memory(process)
        for sql in BOMBS:
            with self.subTest(sql=sql[:100]):
                reply = self.refusal(frontend, sql)
                self.assertRegex(reply, "memory|larger than")
                for pid in children(frontend.process.pid):
                    self.assertLess(peak_memory(pid), usual + (32 << 20))
        # The server itself holds none of it.
        self.assertLess(peak_memory(frontend.process.pid), 200 << 20)
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_a_query_takes_no_memory_of_another(self):
        frontend = self.server(memory="16MiB", timeout="1h", queries=2)
        # It uses all memory that it may have and continues.
        hog = ENDLESS + "max(y) FROM n, (SELECT max(hex(randomblob(1900000))) AS y FROM time)"
        frontend.send(call("hog", sql=hog))
        for number in range(20):
            self.assertEqual(len(self.rows(frontend, f"SELECT {number}, * FROM system_info")), 1)
            sql = f"SELECT length(hex(randomblob({1_000_000 + number}))) AS n"
            self.assertEqual(self.rows(frontend, sql), [{"n": str(2_000_000 + 2 * number)}])
        self.assertEqual(len(children(frontend.process.pid)), 2)

    def test_a_process_that_dies(self):
        frontend = self.server(timeout="1h")
        sql = ENDLESS + "max(i) FROM n"
        for number in (signal.SIGABRT, signal.SIGTERM):
            question = sql.replace("max(i)", f"max(i + {int(number)})")
            frontend.send(call(f"dies-{number}", sql=question))
            (process,) = wait_until(lambda: children(frontend.process.pid), "the query to run")
            os.kill(process, number)
            result = result_of(frontend.answer(f"dies-{number}"))
            self.assertIn(f"signal {int(number)}", result["content"][1]["text"])
            # It is not retried, and everything else continues.
            self.assertIn("refused", self.refusal(frontend, question))
            self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])
            (idle,) = children(frontend.process.pid)
            os.kill(idle, signal.SIGKILL)
            wait_until(lambda: not alive(idle), "its end")
        self.assertEqual(self.rows(frontend, "SELECT 2 AS fine"), [{"fine": "2"}])

    def test_a_query_that_only_waited_is_not_denied(self):
        frontend = self.server(timeout="300ms", queries=1)
        frontend.send(call("long", sql=ENDLESS + "max(i) FROM n"))
        waiting = self.ask(frontend, "SELECT 1 AS fine")
        if waiting[1]:
            self.assertIn("too many queries are waiting", waiting[0][1])
        self.assertIn("took longer", result_of(frontend.answer("long"))["content"][1]["text"])
        self.assertEqual(self.rows(frontend, "SELECT 1 AS fine"), [{"fine": "1"}])

    def test_functions_that_do_more_than_compute(self):
        frontend = self.server()
        for function in (
            "fts3_tokenizer('simple')",
            "fts3_tokenizer('simple', x'0000000000000000')",
            "hex(fts3_tokenizer('porter'))",
            "load_extension('/tmp/x.so')",
            "load_extension('/tmp/x.so', 'init')",
            "sqlite_log(1, 'forged')",
            "sqlite_compileoption_get(1)",
            "sqlite_source_id()",
            "last_insert_rowid()",
            "total_changes()",
            "rtreecheck('x')",
            "fts5_source_id()",
            "writefile('/tmp/x', 'x')",
            "readfile('/etc/passwd')",
            "edit('x')",
        ):
            for sql in (
                f"SELECT {function}",
                f"SELECT 1 WHERE {function} IS NULL",
                f"WITH x AS (SELECT {function} AS y) SELECT count(y) FROM x",
                f"SELECT * FROM users ORDER BY {function}",
            ):
                with self.subTest(sql=sql):
                    self.assertRegex(
                        self.refusal(frontend, sql), "function '.*' is not allowed|no such function"
                    )
        # The bytecode of a statement reveals addresses.
        self.assertIn("EXPLAIN", self.refusal(frontend, "EXPLAIN SELECT * FROM users"))
        self.assertTrue(self.rows(frontend, "EXPLAIN QUERY PLAN SELECT * FROM users"))

    def test_functions_that_compute(self):
        frontend = self.server()
        for expression, value in (
            ("upper(substr('abc', 2)) || printf('%02d', 7)", "BC07"),
            ("json_extract('{\"a\": [1, 2]}', '$.a[1]')", "2"),
            ("'{\"a\": 5}' ->> 'a'", "5"),
            ("round(sqrt(2), 3)", "1.414"),
            ("strftime('%Y', 0, 'unixepoch')", "1970"),
            ("group_concat(DISTINCT 'x')", "x"),
            ("coalesce(NULL, iif(1 LIKE '1', 'y', 'n'))", "y"),
            ("row_number() OVER ()", "1"),
            ("length(randomblob(16)) + length(zeroblob(4))", "20"),
        ):
            with self.subTest(expression=expression):
                self.assertEqual(self.rows(frontend, f"SELECT {expression} AS x"), [{"x": value}])


class OsqueryiLimits(OsqueryCase):
    def test_processor_time(self):
        frontend = self.server(env=self.stand_in("while :; do :; done"), cpu_timeout="1s", timeout="1h")
        self.assertIn("more than 1s of processor time", self.refusal(frontend, "SELECT 1"))
        self.assertIn("refused", self.refusal(frontend, "SELECT 1"))

    def test_memory(self):
        swallow = "exec /usr/bin/python3 -c 'x = b\"x\" * 100_000_000; import time; time.sleep(1000)'"
        frontend = self.server(env=self.stand_in(swallow), memory="48MiB", timeout="1h")
        self.assertIn("more memory than allowed (48MiB)", self.refusal(frontend, "SELECT 1"))
        self.assertEqual(children(frontend.process.pid), [])

    def test_how_many_run_at_once(self):
        env = self.stand_in("sleep 1000")
        frontend = self.server(env=env, queries=2, waiting=0, timeout="1h")
        for number in range(2):
            frontend.send(call(f"long-{number}", sql=f"SELECT {number}"))
        wait_until(lambda: len(children(frontend.process.pid)) == 2, "both to run")
        self.assertIn("too many queries are waiting", self.refusal(frontend, "SELECT 3"))


class Defaults(TestCase):
    """With no configuration, through the gateway."""

    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(env={"PATH": "/usr/bin:/bin"}))

    def fails(self, sql, *texts):
        success, skill, output = goals.step(self.gateway, f"osquery: {sql}")
        self.assertEqual((success, skill), (False, "OsqueryMCPSkill"), output)
        for text in texts:
            self.assertIn(text, output)

    def test_what_is_refused(self):
        self.fails("SELECT * FROM process_memory_map", "process_memory_map")
        self.fails("SELECT * FROM shell_history", "shell_history")
        self.fails("SELECT 1; SELECT 2", "one")
        self.fails("WITH x AS (SELECT 1) DELETE FROM users")
        self.fails("SELECT fts3_tokenizer('simple')", "not allowed")
        self.fails("SELECT $a", "variable")

    def test_what_is_cut_and_then_denied(self):
        for sql, why in (
            (ENDLESS + "i FROM n", "more than 10000 rows"),
            (ENDLESS + "hex(randomblob(9000)) AS x FROM n", "larger than 4MiB"),
            (ENDLESS + "count(*) FROM (SELECT i FROM n ORDER BY randomblob(99000))", "200MB"),
        ):
            with self.subTest(sql=sql):
                self.fails(sql, why)
                self.fails(sql, "refused", "1h")

    def test_a_query_runs_in_a_process_below_the_server(self):
        self.assertTrue(goals.step(self.gateway, "osquery: SELECT * FROM uptime")[0])
        (server,) = self.gateway.children()
        (process,) = children(server)
        limits = pathlib.Path(f"/proc/{process}/limits").read_text(encoding="ascii")
        found = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
        self.assertEqual((found["Max core file size"], found["Max file size"]), ("0", "0"))
        if not SANITIZED:
            self.assertLess(int(found["Max data size"]), 260_000_000)
        self.assertLess(int(found["Max cpu time"]), 30)
        status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
        self.assertIn("NoNewPrivs:\t1", status)
        # It dies; the next query has another, and the server is the same.
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: not alive(process), "its end")
        (row,) = json.loads(goals.step(self.gateway, "osquery: SELECT 7 AS x")[2])
        self.assertEqual(row, {"x": "7"})
        self.assertEqual(self.gateway.children(), [server])


if __name__ == "__main__":
    main()
