"""Foreign text in the output of commands: control sequences never reach the terminal."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, TestCase, main, run, stateless_call
from stub_server import StubServer
from terminal import on_terminal

HOSTILE = "safe\x1b[2J\x1b]0;title\x07\u202etxt.exe\u2066\x9b31m\r\nadmin  forged"
HARMLESS = "größer 語 👍"
CONTROLS = ("\x1b", "\x07", "\u202e", "\u2066", "\x9b", "\r\r")


class Terminal(TestCase):
    def stub(self):
        stub = self.enterContext(StubServer())
        tools = [{"name": "t", "description": HOSTILE.split("\r")[0], "inputSchema": {"type": "object"}},
                 {"name": "x\x1b[2J", "description": HARMLESS, "inputSchema": {"type": "object"}}]
        stub.on["tools/list"] = lambda exchange: exchange.result({"tools": tools})
        stub.on["tools/call"] = lambda exchange: exchange.text(HOSTILE + HARMLESS)
        return stub

    def assert_clean(self, text):
        for control in CONTROLS:
            self.assertNotIn(control, text)

    def test_lists(self):
        stub = self.stub()
        done = run("tools", stub.url)
        self.assert_clean(done.stdout)
        self.assertIn("safe\\u001b[2J", done.stdout)
        self.assertIn("x\\u001b[2J", done.stdout)
        self.assertIn(HARMLESS, done.stdout)

    def test_machine_readable_stays_as_it_is(self):
        stub = self.stub()
        listed = json.loads(run("tools", "--json", stub.url).stdout)
        self.assertEqual([one["name"] for one in listed], ["t", "x\x1b[2J"])

    def test_results_on_a_terminal(self):
        stub = self.stub()
        printed = on_terminal("call", stub.url, "t")
        self.assert_clean(printed)
        self.assertIn("\\u001b[2J", printed)
        self.assertIn(HARMLESS, printed)

    def test_results_in_a_pipe_stay_as_they_are(self):
        stub = self.stub()
        self.assertIn(HOSTILE.replace("\r\n", "\n"), run("call", stub.url, "t").stdout)

    def test_errors(self):
        stub = self.stub()
        stub.on["tools/call"] = lambda exchange: exchange.error(200, -32000, HOSTILE)
        done = run("call", stub.url, "t")
        self.assert_clean(done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_approvals(self):
        rules = [{"role": "local", "allow": ["*"], "approve": ["far.*"]}]
        stub = self.stub()
        config = {"upstreams": {"far": stub.upstream()}, "rules": rules}
        with Gateway(config) as gateway:
            stateless_call(gateway, "far__t", a="\u202e\x1b[2J\nx", b=HARMLESS)
            printed = run("approve", gateway.url).stdout
            self.assertIn("far.t", printed)
            self.assertIn(HARMLESS, printed)
            self.assert_clean(printed)
            self.assertEqual(len(printed.splitlines()), 1, printed)


main()
