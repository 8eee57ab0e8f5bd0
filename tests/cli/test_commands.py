"""The client commands against a URL and against a command."""

import json
import socket
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    FAKE_SERVER,
    ROOT,
    Gateway,
    TestCase,
    fake,
    fake_config,
    main,
    run,
    shell_command,
)

STDIO = "stdio: " + shell_command(sys.executable, "-S", FAKE_SERVER)
ITEMS = "stdio://" + shell_command(sys.executable, "-S", str(ROOT / "testing" / "items_server.py"))


def tool_names(text):
    value = json.loads(text)
    tools = value["tools"] if isinstance(value, dict) else value
    return [tool["name"] for tool in tools]


class CommandCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config({"fake": fake()})))

    def run_ok(self, *args, **settings):
        done = run(*args, **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Tools(CommandCase):
    def test_for_people(self):
        text = self.run_ok("tools", self.gateway.url)
        self.assertIn("fake__echo", text)
        self.assertIn("The fake tool echo.", text)

    def test_for_scripts(self):
        self.assertIn("fake__echo", tool_names(self.run_ok("tools", self.gateway.url, "--json")))

    def test_of_a_command(self):
        self.assertIn("echo", tool_names(self.run_ok("tools", STDIO, "--json")))
        self.assertIn("echo", self.run_ok("tools", STDIO))

    def test_pages_are_followed(self):
        all_tools = tool_names(self.run_ok("tools", STDIO, "--json"))
        paged = tool_names(self.run_ok("tools", STDIO, "--json", env={"FAKE_PAGE": "4"}))
        self.assertEqual(all_tools, paged)

    def test_default_target(self):
        names = tool_names(self.run_ok("tools", "--json", env={"PATCHBAY_URL": self.gateway.url}))
        self.assertIn("fake__echo", names)


class Call(CommandCase):
    def test_with_pairs_and_with_json(self):
        self.assertEqual(
            self.run_ok("call", self.gateway.url, "fake__add", "a=2", "b=40").strip(), "42"
        )
        self.assertEqual(
            self.run_ok("call", self.gateway.url, "fake__add", '{"a": 2, "b": 5}').strip(), "7"
        )
        self.assertEqual(
            self.run_ok("call", self.gateway.url, "fake__echo", "text=a=b c ☃").strip(), "a=b c ☃"
        )
        self.assertEqual(self.run_ok("call", STDIO, "add", "a=1", "b=2").strip(), "3")

    def test_for_scripts(self):
        result = json.loads(
            self.run_ok("call", self.gateway.url, "fake__echo", "text=hi", "--json")
        )
        self.assertEqual(result["content"][0]["text"], "hi")

    def test_default_target(self):
        text = self.run_ok(
            "call", "fake__echo", "text=there", env={"PATCHBAY_URL": self.gateway.url}
        )
        self.assertEqual(text.strip(), "there")

    def test_large_and_slow_answers(self):
        text = self.run_ok("call", self.gateway.url, "fake__big", '{"bytes": 300000}')
        self.assertEqual(len(text.strip()), 300_000)
        self.assertEqual(
            self.run_ok("call", self.gateway.url, "fake__sleep", "seconds=1.5").strip(), "slept"
        )


class Items(TestCase):
    """A server of prompts and resources, by itself and behind a gateway."""

    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway({"upstreams": {"items": ITEMS}}))

    def run_ok(self, *args):
        done = run(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_resources(self):
        for target in (ITEMS, self.gateway.url):
            lines = self.run_ok("resources", target).splitlines()
            self.assertEqual(lines[0].split(), ["test://a", "a"])
            self.assertEqual(lines[-1].split(), ["test://item/{id}", "item"])
            listed = json.loads(self.run_ok("resources", target, "--json"))
            self.assertEqual(listed[0]["uri"], "test://a")
            self.assertEqual(listed[-1]["uriTemplate"], "test://item/{id}")

    def test_read(self):
        for target in (ITEMS, self.gateway.url):
            self.assertEqual(
                self.run_ok("read", target, "test://item/7"), "items has test://item/7\n"
            )
            result = json.loads(self.run_ok("read", target, "test://a", "--json"))
            self.assertEqual(result["contents"][0]["mimeType"], "text/plain")

    def test_prompts(self):
        lines = self.run_ok("prompts", self.gateway.url).splitlines()
        self.assertEqual(lines[0].split(), ["items__greet", "Greet"])
        self.assertEqual(
            json.loads(self.run_ok("prompts", ITEMS, "--json"))[0]["arguments"],
            [{"name": "who", "required": False}],
        )

    def test_a_prompt(self):
        for name in ("items__greet", "items.greet", "greet"):
            self.assertEqual(
                self.run_ok("prompts", self.gateway.url, name, "who=7"), "user: items greet 7\n"
            )
        result = json.loads(self.run_ok("prompts", ITEMS, "greet", '{"who": "Ada"}', "--json"))
        self.assertEqual(result["messages"][0]["content"]["text"], "items greet Ada")

    def test_exit_codes(self):
        for code, *arguments in (
            (5, "read", ITEMS, "test://nope"),
            (5, "read", self.gateway.url, "test://nope"),
            (5, "prompts", self.gateway.url, "nope"),
            (2, "prompts", ITEMS, "greet", "no pair"),
            (2, "read"),
            (2, "read", ITEMS, "test://a", "test://b"),
            (2, "read", "test://a", "test://b"),
            (2, "resources", "test://a"),
            (1, "resources", "stdio: false"),
            (1, "prompts", "stdio: false", "greet"),
        ):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertTrue(done.stderr.strip(), "says nothing")


class ExitCodes(CommandCase):
    def code(self, *args):
        done = run(*args)
        self.assertTrue(done.stderr.strip() or done.returncode in (0, 4), "says nothing")
        return done.returncode

    def test_tool_error_is_4(self):
        done = run("call", self.gateway.url, "fake__fail", "text=no luck")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no luck", done.stdout + done.stderr)

    def test_unknown_tool_is_5(self):
        self.assertEqual(self.code("call", self.gateway.url, "fake__nope"), 5)
        self.assertEqual(self.code("call", STDIO, "nope"), 5)

    def test_no_server_is_1(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{nobody.getsockname()[1]}/mcp"
            self.assertEqual(self.code("tools", url), 1)
            self.assertEqual(self.code("call", url, "echo"), 1)

    def test_a_command_that_is_no_server_is_1(self):
        self.assertEqual(self.code("tools", "stdio: /no/such/program"), 1)
        self.assertEqual(self.code("tools", "stdio: false"), 1)
        self.assertEqual(self.code("tools", "stdio: echo this is not JSON"), 1)

    def test_a_path_that_is_not_mcp_is_1(self):
        self.assertEqual(self.code("tools", self.gateway.url.replace("/mcp", "/nowhere")), 1)

    def test_a_server_that_dies_in_the_call_is_1(self):
        self.assertEqual(self.code("call", STDIO, "die"), 1)
        self.assertEqual(self.code("call", self.gateway.url, "fake__die"), 1)

    def test_usage_is_2(self):
        self.assertEqual(self.code("call"), 2)
        self.assertEqual(self.code("call", self.gateway.url), 2)
        self.assertEqual(self.code("call", self.gateway.url, "fake__echo", "no pair"), 2)
        self.assertEqual(self.code("call", self.gateway.url, "fake__echo", '{"broken'), 2)
        self.assertEqual(self.code("tools", "--nonsense"), 2)
        self.assertEqual(self.code("tools", "ftp://localhost/mcp"), 2)


if __name__ == "__main__":
    main()
