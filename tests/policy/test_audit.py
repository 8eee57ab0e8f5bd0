"""The audit log: a file, a database, their contents, and calls that are refused without it."""

import contextlib
import hashlib
import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    fake_config,
    main,
    run,
    stateless_call,
    stateless_headers,
    stateless_message,
    stateless_post,
    text_of,
    wait_until,
)

TRACE = "0af7651916cd43dd8448eb211c80319c"


def records(gateway, name="audit.jsonl"):
    path = pathlib.Path(gateway.folder.name) / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def wait_records(gateway, count):
    wait_until(lambda: len(records(gateway)) >= count, f"{count} records")
    return records(gateway)


def with_audit(**settings):
    return fake_config(audit={"file": "audit.jsonl", **settings})


class Records(TestCase):
    def test_one_for_each_call(self):
        with Gateway(with_audit()) as gateway:
            message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}})
            parent = f"00-{TRACE}-b7ad6b7169203331-01"
            self.assertEqual(stateless_post(gateway, message, {"traceparent": parent}).status, 200)
            stateless_call(gateway, "fake__nothing")
            with McpSession(gateway) as session:
                session.request("tools/list")
            with gateway.connect() as connection:
                fields = {"Content-Type": "application/json"}
                connection.request("POST", "/api/fake.add", fields, {"a": 1, "b": 2})
            first, second, third, fourth = wait_records(gateway, 4)
            self.assertEqual(first["who"], "local")
            self.assertEqual(first["frontend"], "mcp-http")
            self.assertEqual((first["method"], first["target"]), ("tools/call", "fake__echo"))
            self.assertEqual((first["upstream"], first["outcome"]), ("fake", "ok"))
            self.assertEqual((first["decision"], first["trace"]), ("allow", TRACE))
            raw = json.dumps({"text": "x"}).encode()
            compact = json.dumps({"text": "x"}, separators=(",", ":")).encode()
            self.assertIn(first["digest"], [hashlib.sha256(one).hexdigest() for one in (raw, compact)])
            self.assertNotIn("arguments", first)
            self.assertRegex(first["when"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertGreater(first["in"], 0)
            self.assertGreater(first["out"], 0)
            self.assertEqual(second["outcome"], "not_found")
            self.assertEqual(third["method"], "tools/list")
            self.assertEqual((fourth["frontend"], fourth["target"]), ("rest", "fake.add"))

    def test_arguments_with_secrets_left_out(self):
        with Gateway(with_audit(arguments="full", redact=["*pass*"])) as gateway:
            stateless_call(gateway, "fake__echo", text="x", deep=[{"PassWord": "hunter2"}])
            record = wait_records(gateway, 1)[0]
            self.assertEqual(
                record["arguments"], {"text": "x", "deep": [{"PassWord": "[redacted]"}]}
            )

    def test_full_files_are_put_aside(self):
        with Gateway(with_audit(max_file_size="4KiB", max_rotated_files=2)) as gateway:
            for _ in range(60):
                stateless_call(gateway, "fake__echo", text="x")
            folder = pathlib.Path(gateway.folder.name)
            self.assertEqual(gateway.stop(), 0)
            self.assertTrue((folder / "audit.jsonl.2").exists())
            self.assertLessEqual((folder / "audit.jsonl.1").stat().st_size, 4096 + 1024)
            self.assertEqual((folder / "audit.jsonl.1").stat().st_mode & 0o777, 0o600)
            self.assertFalse((folder / "audit.jsonl.3").exists())

    def test_none_is_lost_when_the_gateway_stops(self):
        with Gateway(with_audit()) as gateway:
            for _ in range(20):
                stateless_call(gateway, "fake__echo", text="x")
            self.assertEqual(gateway.stop(), 0)
            self.assertEqual(len(records(gateway)), 20)

    def test_a_reload_begins_another_file(self):
        with Gateway(with_audit()) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            gateway.write_config(with_audit(file="second.jsonl"))
            gateway.stderr.wait_for("reloaded")
            stateless_call(gateway, "fake__echo", text="x")
            wait_until(lambda: len(records(gateway, "second.jsonl")) == 1, "a record in the second")
            self.assertEqual(len(records(gateway)), 1)


class Forgery(TestCase):
    """Nothing in a call looks like a record of another one."""

    FORGED = '{"when":"2026-01-01T00:00:00.000Z","who":"admin","outcome":"ok"}'

    def call_with_line_breaks(self, gateway, end):
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {}})
        forged = '{"text":' + end + self.FORGED + end + ',"z":[1,' + end + "2]}"
        body = json.dumps(message).replace('"arguments": {}', '"arguments": ' + forged)
        with gateway.connect() as connection:
            connection.request("POST", "/mcp", stateless_headers(message), body.encode())

    def test_line_breaks_in_arguments(self):
        settings = {"file": "audit.jsonl", "database": "audit.db", "arguments": "full"}
        with Gateway(fake_config(audit=settings, validation={"arguments": "off"})) as gateway:
            for end in ("\n", "\r\n", "\r", " "):
                self.call_with_line_breaks(gateway, end)
            gateway.stop()
            raw = (pathlib.Path(gateway.folder.name) / "audit.jsonl").read_bytes()
            lines = raw.decode().splitlines()
            self.assertEqual(len(lines), 4, raw)
            arguments = f'"arguments":{{"text":{self.canonical()},"z":[1,2]}}'
            for line in lines:
                self.assertIn(arguments, line)
            printed = run("audit", "-c", str(gateway.config_path), "--json", cwd=gateway.cwd)
            self.assertEqual(len(printed.stdout.splitlines()), 4)
            for line in printed.stdout.splitlines():
                self.assertIn(arguments, line)

    def canonical(self):
        return json.dumps(json.loads(self.FORGED), sort_keys=True, separators=(",", ":"))

    def test_characters_that_some_readers_take_for_line_breaks(self):
        with Gateway(with_audit(arguments="full")) as gateway:
            text = f"a\u2028{self.FORGED}\u0085{self.FORGED}"
            message = stateless_message(
                "tools/call", {"name": "fake__echo", "arguments": {"text": text}}
            )
            body = json.dumps(message, ensure_ascii=False).encode()
            with gateway.connect() as connection:
                connection.request("POST", "/mcp", stateless_headers(message), body)
            record = wait_records(gateway, 1)
            self.assertEqual(len(record), 1)
            self.assertIn("\u2028", record[0]["arguments"]["text"])

    def test_the_same_key_twice(self):
        with Gateway(with_audit(arguments="full", redact=["key"])) as gateway:
            message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {}})
            body = json.dumps(message).replace(
                '"arguments": {}', '"arguments": {"text": "a",\n"text": "b", "key": "hidden"}'
            )
            with gateway.connect() as connection:
                connection.request("POST", "/mcp", stateless_headers(message), body.encode())
            (record,) = wait_records(gateway, 1)
            self.assertIsInstance(record["arguments"], str)
            self.assertIn("[redacted]", record["arguments"])
            self.assertNotIn("hidden", record["arguments"])

    def test_what_a_terminal_would_obey(self):
        with Gateway(fake_config(audit={"database": "audit.db"})) as gateway:
            name = "fake\x1b[2J\u202e\n2026-01-01T00:00:00.000Z  admin  tools/call x  ok"
            with McpSession(gateway) as session:
                session.call(name)
            gateway.stop()
            options = ("audit", "-c", str(gateway.config_path), "--name", "fake*")
            printed = run(*options, cwd=gateway.cwd)
            self.assertEqual(len(printed.stdout.splitlines()), 1, printed.stdout)
            self.assertIn("fake\\u001b[2J\\u202e\\u000a2026", printed.stdout)
            as_json = run(*options, "--json", cwd=gateway.cwd)
            self.assertEqual(json.loads(as_json.stdout)["target"], name)


class Trace(TestCase):
    PARENT = f"00-{TRACE}-b7ad6b7169203331-01"

    def test_of_the_meta(self):
        with Gateway(with_audit()) as gateway:
            meta = {"traceparent": self.PARENT}
            call = {"name": "fake__echo", "arguments": {"text": "x"}}
            stateless_post(gateway, stateless_message("tools/call", call, meta=meta))
            with McpSession(gateway) as session:
                session.request("tools/call", {**call, "_meta": meta})
            self.assertEqual([one.get("trace") for one in wait_records(gateway, 2)], [TRACE] * 2)

    def test_the_header_comes_first(self):
        other = TRACE[::-1]
        with Gateway(with_audit()) as gateway:
            meta = {"traceparent": f"00-{other}-b7ad6b7169203331-01"}
            call = {"name": "fake__echo", "arguments": {"text": "x"}}
            message = stateless_message("tools/call", call, meta=meta)
            stateless_post(gateway, message, {"traceparent": self.PARENT})
            self.assertEqual(wait_records(gateway, 1)[0]["trace"], TRACE)

    def test_what_is_no_trace(self):
        bad = ["x" * 55, self.PARENT.upper(), self.PARENT[:-1], self.PARENT + "0",
               "00-" + "0" * 32 + "-b7ad6b7169203331-01", 7, {}]
        with Gateway(with_audit()) as gateway:
            call = {"name": "fake__echo", "arguments": {"text": "x"}}
            for one in bad:
                stateless_post(gateway, stateless_message("tools/call", call, meta={"traceparent": one}))
            for record in wait_records(gateway, len(bad)):
                self.assertNotIn("trace", record)


class Required(TestCase):
    def test_a_call_whose_record_cannot_be_written_is_refused(self):
        config = fake_config(audit={"file": "gone/audit.jsonl", "required": True})
        with Gateway(config) as gateway:
            answer = stateless_call(gateway, "fake__echo", text="x")
            self.assert_error(answer, -32000, "unavailable")
            self.assertIn("audit", answer["error"]["message"])
            (pathlib.Path(gateway.folder.name) / "gone").mkdir()
            wait_until(
                lambda: "error" not in stateless_call(gateway, "fake__echo", text="x"),
                "records to be kept again",
            )
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="y")), "y")
            self.assertGreaterEqual(len(records(gateway, "gone/audit.jsonl")), 2)

    def test_the_record_is_there_before_the_answer(self):
        with Gateway(with_audit(required=True, sync=True)) as gateway:
            for count in range(1, 6):
                stateless_call(gateway, "fake__echo", text="x")
                self.assertEqual(len(records(gateway)), count)

    def test_without_being_required_calls_go_on(self):
        with Gateway(fake_config(audit={"file": "gone/audit.jsonl"})) as gateway:
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="x")), "x")
            gateway.stderr.wait_for("audit failed")


class FullDisk(TestCase):
    """/dev/full takes nothing, as a disk without room."""

    def test_calls_go_on_and_what_is_lost_is_counted(self):
        with Gateway(fake_config(audit={"file": "/dev/full"})) as gateway:
            for number in range(5):
                self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text=str(number))), str(number))
            lost = lambda: gateway.metric("patchbay_audit_dropped_records_total")
            wait_until(lambda: lost() == 5, "the records to be counted as lost")
            self.assertIn("No space left", gateway.stderr.wait_for("audit failed"))

    def test_where_it_is_required_calls_are_refused(self):
        with Gateway(fake_config(audit={"file": "/dev/full", "required": True})) as gateway:
            for _ in range(3):
                answer = stateless_call(gateway, "fake__echo", text="x")
                self.assert_error(answer, -32000, "unavailable")
                self.assertIn("No space left", answer["error"]["message"])


class Database(TestCase):
    def test_questions(self):
        with Gateway(fake_config(audit={"database": "audit.db"})) as gateway:
            for _ in range(3):
                stateless_call(gateway, "fake__echo", text="x")
            stateless_call(gateway, "fake__fail")
            stateless_call(gateway, "fake__nothing")

            def ask(*options):
                done = run("audit", "-c", str(gateway.config_path), "--json", *options, cwd=gateway.cwd)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                return [json.loads(line) for line in done.stdout.splitlines()]

            wait_until(lambda: len(ask()) == 5, "all records")
            self.assertEqual(len(ask("--name", "*echo")), 3)
            refused = [one["target"] for one in ask("--outcome", "!ok")]
            self.assertEqual(refused, ["fake__nothing", "fake__fail"])
            self.assertEqual(len(ask("--outcome", "tool_error")), 1)
            self.assertEqual(len(ask("--since", "1h", "--who", "local", "--limit", "2")), 2)
            self.assertEqual(ask("--until", "1h"), [])
            self.assertEqual(ask("--who", "' OR 1=1 --"), [])
            printed = run("audit", "-c", str(gateway.config_path), cwd=gateway.cwd)
            self.assertIn("tools/call fake__echo  ok", printed.stdout)
            mode = os.stat(os.path.join(gateway.cwd, "audit.db")).st_mode & 0o777
            self.assertEqual(mode, 0o600)

    def test_a_file_of_a_later_version_is_refused(self):
        with Gateway(with_audit(database="audit.db", required=True)) as gateway:
            stateless_call(gateway, "fake__nothing")
            path = pathlib.Path(gateway.folder.name) / "audit.db"
            with contextlib.closing(sqlite3.connect(path)) as database:
                self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (1,))
                database.execute("PRAGMA user_version = 99")
            done = run("audit", "--database", str(path))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("format 99 of a later version", done.stderr)
            self.assertIn(str(path), done.stderr)

    def test_faults(self):
        done = run("audit", "--database", "/nowhere/audit.db")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/nowhere/audit.db", done.stderr)
        done = run("audit", "--database", "x", "--since", "soon")
        self.assertEqual(done.returncode, 2)
        self.assertIn("soon", done.stderr)


main()
