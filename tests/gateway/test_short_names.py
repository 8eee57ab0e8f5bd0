"""Names of tools that clients accept: bounded with the prefix, distinct, and stable."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, main, run, stateless_call, text_of
from stub_server import StubServer

LONG = "create_or_update_the_review_comments_of_all_pull_requests_in_an_organization"
TOOLS = [LONG, LONG + "_2", "short", "x" * 128]


def serve(name):
    """A server with long names that answers with the name it was called by."""
    stub = StubServer(name)
    tools = [{"name": one, "inputSchema": {"type": "object"}} for one in TOOLS]
    stub.on["tools/list"] = lambda exchange: exchange.result({"tools": tools})
    stub.on["tools/call"] = lambda exchange: exchange.text(
        f"{name} {exchange.message['params']['name']}"
    )
    return stub


class ShortNames(TestCase):
    def setUp(self):
        self.stubs = {
            name: self.enterContext(serve(name))
            for name in ("github", "a-very-long-name-of-an-upstream-that-takes-most-of-it")
        }

    def gateway(self, reverse=False, **names):
        upstreams = {name: stub.upstream() for name, stub in self.stubs.items()}
        if reverse:
            upstreams = dict(reversed(upstreams.items()))
        return self.enterContext(Gateway({"upstreams": upstreams, "names": names}))

    def names(self, gateway):
        with McpSession(gateway) as session:
            return session.tool_names()

    def test_they_are_bounded_and_distinct(self):
        for most in (64, 60, 40):
            with self.subTest(most):
                names = self.names(self.gateway(max_length=most))
                self.assertEqual(len(names), 2 * len(TOOLS))
                self.assertEqual(len(set(names)), len(names))
                self.assertLessEqual(max(map(len, names)), most)
                self.assertIn("github__short", names)
                for prefix in ("github__", "a-very-"):
                    kept = [name for name in names if name.startswith(prefix) and "__create" in name]
                    self.assertEqual(len(kept), 2, names)

    def test_64_by_default(self):
        self.assertEqual(max(map(len, self.names(self.gateway()))), 64)

    def test_they_depend_on_nothing_else(self):
        first = self.names(self.gateway())
        self.assertEqual(set(self.names(self.gateway(reverse=True))), set(first))

    def test_both_names_work(self):
        gateway = self.gateway()
        for upstream in self.stubs:
            for tool in TOOLS:
                for full in (f"{upstream}__{tool}", f"{upstream}.{tool}"):
                    answer = stateless_call(gateway, full)
                    self.assertEqual(text_of(answer), f"{upstream} {tool}")
        for name in self.names(gateway):
            upstream, _, tool = text_of(stateless_call(gateway, name)).partition(" ")
            self.assertTrue(name.startswith(upstream[:10]), name)
            self.assertIn(tool, TOOLS)

    def test_without_a_prefix(self):
        names = self.names(self.gateway(prefix="never"))
        self.assertIn("short", names)
        self.assertLessEqual(max(map(len, names)), 64)
        self.assertEqual(len(set(names)), 2 * len(TOOLS))

    def test_longer_where_configured(self):
        names = self.names(self.gateway(max_length=500))
        self.assertIn(f"github__{LONG}", names)


class Ambiguous(TestCase):
    def test_a_bare_name_that_two_have(self):
        upstreams = {name: fake(env={"FAKE_ONLY": "echo"}) for name in ("b", "a")}
        gateway = self.enterContext(Gateway({"upstreams": upstreams}))
        answer = stateless_call(gateway, "echo", text="x")
        self.assert_error(answer, -32602, "not_found")
        self.assertEqual(answer["error"]["message"], "ambiguous: a__echo, b__echo")
        done = run("call", gateway.url, "echo", "text=x")
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"'echo' is ambiguous: (a__echo, b__echo|b__echo, a__echo)\n")
        answer = stateless_call(gateway, "nothing")
        self.assertEqual(answer["error"]["message"], "unknown tool: nothing")

    def test_what_a_caller_does_not_see_makes_nothing_ambiguous(self):
        upstreams = {name: fake(env={"FAKE_ONLY": "echo"}) for name in ("a", "b")}
        rules = [{"role": "local", "allow": ["a.*"]}]
        gateway = self.enterContext(Gateway({"upstreams": upstreams, "rules": rules}))
        self.assertEqual(text_of(stateless_call(gateway, "echo", text="x")), "x")


main()
