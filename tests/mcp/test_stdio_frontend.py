"""`patchbay stdio`: the same catalog on stdin and stdout, session-based and stateless."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    SESSION_VERSIONS,
    STATELESS,
    TIMEOUT,
    StdioFrontend,
    TestCase,
    alive,
    fake,
    fake_config,
    main,
    result_of,
    run,
    stateless_message,
    text_of,
    to_yaml,
    wait_until,
)


def request(method, request_id, params=None):
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def call(tool, request_id, **arguments):
    return request("tools/call", request_id, {"name": tool, "arguments": arguments})


class StdioCase(TestCase):
    def frontend(self, upstreams=None, **settings):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        config = folder / "patchbay.yaml"
        config.write_text(to_yaml(fake_config(upstreams, **settings)), encoding="utf-8")
        return self.enterContext(StdioFrontend([BINARY, "stdio", "-c", str(config)], cwd=str(folder)))

    def opened(self, version="2025-11-25", **settings):
        frontend = self.frontend(**settings)
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        handshake = result_of(frontend.request(request("initialize", "open", params)))
        self.assertEqual(handshake["protocolVersion"], version)
        frontend.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return frontend

    def end(self, frontend):
        """EOF on stdin ends it with 0, and everything on stdout was JSON-RPC."""
        self.assertEqual(frontend.close_stdin(), 0)
        for line in frontend.stdout.wait_end():
            self.assertEqual(json.loads(line)["jsonrpc"], "2.0")


class SessionBased(StdioCase):
    def test_each_revision(self):
        for version in SESSION_VERSIONS:
            with self.subTest(version=version):
                frontend = self.opened(version)
                self.assertEqual(result_of(frontend.request(request("ping", 0))), {})
                names = [
                    tool["name"]
                    for tool in result_of(frontend.request(request("tools/list", 1)))["tools"]
                ]
                self.assertIn("fake__echo", names)
                self.assertEqual(
                    text_of(frontend.request(call("fake__echo", 2, text="héllo\n☃"))), "héllo\n☃"
                )
                self.assert_error(frontend.request(call("fake__nope", 3)), -32602)
                self.assert_error(frontend.request(request("no/such", 4)), -32601)
                self.end(frontend)

    def test_calls_overtake_each_other(self):
        frontend = self.opened()
        frontend.send(call("fake__sleep", "slow", seconds=0.5, text="slow"))
        frontend.send(call("fake__echo", "fast", text="fast"))
        self.assertEqual(text_of(frontend.answer("slow")), "slow")
        ids = [json.loads(line).get("id") for line in frontend.stdout.lines]
        self.assertLess(ids.index("fast"), ids.index("slow"))
        self.end(frontend)

    def test_progress_passes(self):
        frontend = self.opened()
        frontend.send(
            request(
                "tools/call",
                1,
                {
                    "name": "fake__progress",
                    "arguments": {"steps": 3},
                    "_meta": {"progressToken": "mine"},
                },
            )
        )
        frontend.answer(1)
        notes = [json.loads(line) for line in frontend.stdout.lines if "notifications/progress" in line]
        self.assertEqual(
            [(note["params"]["progressToken"], note["params"]["progress"]) for note in notes],
            [("mine", 1), ("mine", 2), ("mine", 3)],
        )

    def test_cancelled_reaches_the_child(self):
        frontend = self.opened()
        arguments = {"steps": 10_000, "delay": 0.02, "tag": "stop-this"}
        params = {"name": "fake__progress", "arguments": arguments, "_meta": {"progressToken": "p"}}
        frontend.send(request("tools/call", 9, params))
        frontend.stdout.wait_for("notifications/progress")  # It has reached the child.
        frontend.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
        )
        counter = iter(range(100, 10_000))

        def seen():
            answer = frontend.request(call("fake__seen_cancelled", next(counter)))
            return "stop-this" in text_of(answer)

        wait_until(seen, "the child to see the cancellation")

    def test_list_changed_is_notified(self):
        frontend = self.opened()
        frontend.request(call("fake__list_changed", 1, name="surprise"))
        frontend.stdout.wait_for("notifications/tools/list_changed")
        counter = iter(range(100, 10_000))
        wait_until(
            lambda: any(
                tool["name"] == "fake__surprise"
                for tool in result_of(frontend.request(request("tools/list", next(counter))))["tools"]
            ),
            "the new tool",
        )

    def test_bad_lines_are_answered_and_the_next_one_is_served(self):
        frontend = self.opened()
        for line in (
            b"this is not JSON",
            b"",
            b"{",
            b"[]",
            b"5",
            b"\xff\xfe",
            b'{"jsonrpc":"1.0","id":5}',
            b"[" * 100_000,
        ):
            frontend.send(line)
        self.assertEqual(
            text_of(frontend.request(call("fake__echo", "after", text="still here"))), "still here"
        )
        errors = [json.loads(line) for line in frontend.stdout.lines if '"error"' in line]
        self.assertGreaterEqual(len(errors), 1)
        self.assertLessEqual({error["error"]["code"] for error in errors}, {-32700, -32600})
        self.end(frontend)

    def test_the_last_line_needs_no_line_feed(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        config = folder / "patchbay.yaml"
        config.write_text(to_yaml(fake_config()), encoding="utf-8")
        handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        lines = [json.dumps(request("initialize", 1, handshake)), json.dumps(request("tools/list", 2))]
        for command in (["stdio", "-c", str(config)], ["osquery", "--engine", "builtin"]):
            for count in (1, 2):
                with self.subTest(f"{command[0]}, {count} lines"):
                    done = run(*command, stdin="\n".join(lines[:count]), cwd=str(folder))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    answers = [json.loads(line) for line in done.stdout.splitlines()]
                    answers = {answer["id"]: answer for answer in answers if "id" in answer}
                    self.assertEqual(set(answers), set(range(1, count + 1)))
                    self.assertIn("result", answers[count])

    def test_what_cannot_be_read_is_answered_as_json_rpc_has_it(self):
        cases = (
            ('{"jsonrpc":"2.0","id":7,"method":', None, -32700),
            ("not JSON", None, -32700),
            ('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}', 3, -32602),
            ('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":"x"}', 4, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":7,"params":[1]}', 5, -32600),
        )
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for command in ("stdio", "osquery"):
            for line, number, code in cases:
                with self.subTest(f"{command}: {line}"):
                    done = run(command, stdin=line + "\n", cwd=folder)
                    answer = json.loads(done.stdout.splitlines()[0])
                    self.assertEqual((answer["id"], answer["error"]["code"]), (number, code))

    def test_batches_of_2025_03_26(self):
        frontend = self.opened("2025-03-26")
        frontend.send([request("ping", 1), call("fake__echo", 2, text="b")])
        line = frontend.stdout.wait_for(lambda text: text.startswith("["))
        self.assertEqual({answer["id"] for answer in json.loads(line)}, {1, 2})

    def test_the_limit_of_batches_applies(self):
        frontend = self.opened("2025-03-26", limits={"max_batch_messages": 2})
        frontend.send([request("ping", 1), request("ping", 2), request("ping", 3)])
        line = frontend.stdout.wait_for(lambda text: "limits.max_batch_messages" in text)
        self.assert_error(json.loads(line), -32600)
        frontend.send([request("ping", 1), request("ping", 2)])
        frontend.stdout.wait_for(lambda text: text.startswith("["))

    def test_the_largest_line_passes_and_more_does_not_kill(self):
        frontend = self.opened()
        size = 4_000_000
        self.assertEqual(len(text_of(frontend.request(call("fake__echo", 1, text="x" * size)))), size)


class Stateless(StdioCase):
    def test_without_handshake(self):
        frontend = self.frontend()
        result = result_of(frontend.request(stateless_message("server/discover", request_id=1)))
        self.assertIn(STATELESS, result["supportedVersions"])
        listed = result_of(frontend.request(stateless_message("tools/list", request_id=2)))
        self.assertEqual(listed["resultType"], "complete")
        answer = frontend.request(
            stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "hi"}}, 3)
        )
        self.assertEqual(text_of(answer), "hi")
        self.assertEqual(answer["result"]["resultType"], "complete")
        self.assert_error(frontend.request(stateless_message("ping", request_id=4)), -32601)
        self.assert_error(
            frontend.request(
                stateless_message(
                    "tools/list",
                    request_id=5,
                    meta={"io.modelcontextprotocol/protocolVersion": "2099-01-01"},
                )
            ),
            -32022,
        )
        self.end(frontend)

    def test_a_session_based_client_may_send_discover_first(self):
        frontend = self.frontend()
        frontend.request(stateless_message("server/discover", request_id=0))
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        handshake = result_of(frontend.request(request("initialize", 1, params)))
        self.assertEqual(handshake["protocolVersion"], "2025-06-18")
        self.assertEqual(text_of(frontend.request(call("fake__echo", 2, text="old"))), "old")

    def test_cancelled(self):
        frontend = self.frontend()
        arguments = {"steps": 10_000, "delay": 0.02, "tag": "stateless"}
        params = {"name": "fake__progress", "arguments": arguments}
        frontend.send(stateless_message("tools/call", params, 7, {"progressToken": "p"}))
        frontend.stdout.wait_for("notifications/progress")  # It has reached the child.
        frontend.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        )
        counter = iter(range(100, 10_000))
        wait_until(
            lambda: (
                "stateless"
                in text_of(
                    frontend.request(
                        stateless_message(
                            "tools/call",
                            {"name": "fake__seen_cancelled", "arguments": {}},
                            next(counter),
                        )
                    )
                )
            ),
            "the cancellation",
        )


class Ending(StdioCase):
    def test_eof_ends_the_children_too(self):
        frontend = self.opened()
        pid = json.loads(text_of(frontend.request(call("fake__whoami", 1))))["pid"]
        self.end(frontend)
        wait_until(lambda: not alive(pid), "the child to be gone")

    def test_eof_with_calls_in_progress(self):
        frontend = self.opened(upstreams={"fake": fake(stop_grace="300ms")}, stop={"drain_timeout": "500ms"})
        frontend.request(call("fake__echo", 1, text="warm"))
        frontend.send(call("fake__hang", 2))
        self.assertEqual(frontend.close_stdin(TIMEOUT), 0)
        answers = [json.loads(line).get("id") for line in frontend.stdout.wait_end()]
        self.assertLessEqual(answers.count(2), 1)

    def test_answers_already_asked_for_come_before_the_end(self):
        frontend = self.opened()
        frontend.send(call("fake__sleep", 5, seconds=0.3, text="asked before EOF"))
        self.assertEqual(frontend.close_stdin(), 0)
        last = [
            json.loads(line) for line in frontend.stdout.wait_end() if '"id":5' in line.replace(" ", "")
        ]
        self.assertEqual([text_of(message) for message in last], ["asked before EOF"])

    def test_a_configuration_fault_is_code_3_and_nothing_on_stdout(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "bad.yaml"
            config.write_text("nonsense: true\n", encoding="utf-8")
            with StdioFrontend([BINARY, "stdio", "-c", str(config)]) as frontend:
                self.assertEqual(frontend.process.wait(TIMEOUT), 3)
                self.assertEqual(frontend.stdout.wait_end(), [])
                self.assertIn("bad.yaml:1:", "\n".join(frontend.stderr.wait_end()))


if __name__ == "__main__":
    main()
