"""Goals as text: POST /api/agent/execute and GET /api/agent/skills."""

import json
import subprocess
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import TIMEOUT, Background, Gateway, McpSession, TestCase, fake, main, wait_until

CHARSET = "application/json; charset=utf-8"


class GoalCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(
            Gateway(goals.config(goals.stand_in(), {"fake": fake()}))
        )

    def assert_step(self, goal, *wanted):
        self.assertEqual(goals.step(self.gateway, goal), wanted)

    def assert_steps(self, goal, wanted):
        trace = goals.send(self.gateway, goal)["trace"]
        self.assertEqual([(one["skillName"], one["output"]) for one in trace], wanted)
        return trace


class Documented(GoalCase):
    """The examples of the document, sent as it sends them."""

    def curl(self, body):
        done = subprocess.run(
            ["curl", "-s", "-X", "POST", f"http://localhost:{self.gateway.port}/api/agent/execute",
             "-H", "Content-Type: application/json", "-d", body],
            capture_output=True, text=True, timeout=TIMEOUT, check=True,
        )  # fmt: skip
        return done.stdout

    def test_the_calculation_byte_for_byte(self):
        wanted = {
            "goal": "calculate: 12 / 4",
            "trace": [{"success": True, "skillName": "CalculatorSkill", "output": "3.0"}],
            "finalOutput": "3.0",
        }
        self.assertEqual(
            self.curl('{"goal":"calculate: 12 / 4"}'), json.dumps(wanted, separators=(",", ":"))
        )

    def test_the_system_info(self):
        answer = json.loads(self.curl('{"goal":"osquery: show system info"}'))
        (only,) = answer["trace"]
        self.assertEqual((only["success"], only["skillName"]), (True, "OsqueryMCPSkill"))
        self.assertEqual(json.loads(only["output"]), {"sql": "SELECT * FROM system_info"})
        self.gateway.stderr.wait_for("info Executing osquery: SELECT * FROM system_info")

    def test_the_other_examples(self):
        sentence = "The quick brown fox jumps over the lazy dog."
        self.assert_step(f"summarize: {sentence}", True, "SummarizeSkill", sentence)
        success, skill, output = goals.step(self.gateway, "search: example query")
        self.assertEqual((success, skill), (True, "MockSearchSkill"))
        self.assertEqual(output.splitlines()[0], "Mock search results for 'example query':")
        self.assertEqual(len(output.splitlines()), 4)

    def test_the_lines_of_the_log(self):
        for line in (
            "info Connecting to osquery MCP server...",
            "info Successfully connected to MCP server: osquery",
            "info Available osquery tools: query_osquery",
        ):
            self.gateway.stderr.wait_for(line)

    def test_the_headers(self):
        with self.gateway.connect() as connection:
            for headers in (
                {"Content-Type": "application/json", "Accept": "application/json"},
                {"Content-Type": "application/json; charset=utf-8"},
            ):
                response = goals.post(connection, {"goal": "calculate: 1 + 1"}, headers)
                self.assertEqual(response.status, 200)
                self.assertEqual(response.header("content-type"), CHARSET)

    def test_the_list_of_skills(self):
        response = self.gateway.get("/api/agent/skills")
        self.assertEqual((response.status, response.header("content-type")), (200, CHARSET))
        names = ["CalculatorSkill", "SummarizeSkill", "MockSearchSkill", "OsqueryMCPSkill",
                 "WeatherSkill", "TimeSkill", "EchoSkill"]  # fmt: skip
        self.assertEqual(json.loads(response.body), {"count": len(names), "skills": names})

    def test_each_skill_is_a_tool(self):
        with McpSession(self.gateway) as session:
            names = session.tool_names()
        for name in ("skills__calculate", "skills__summarize", "osquery__query_osquery"):
            self.assertIn(name, names)

    def test_invented_data_is_not_offered_to_models_unless_asked_for(self):
        mocks = {"skills__mock_search", "skills__weather"}
        with McpSession(self.gateway) as session:
            self.assertFalse(mocks & set(session.tool_names()))
        for path in ("/openapi.json", "/mcp/v1/tools", "/agents"):
            self.assertNotRegex(self.gateway.get(path).body.decode(), "skills(__|[.])weather")
        self.assertEqual(goals.step(self.gateway, "weather in Paris")[:2], (True, "WeatherSkill"))
        config = {"upstreams": {"skills": {"kind": "builtin", "mock_skills": True}}}
        with Gateway(config) as gateway, McpSession(gateway) as session:
            self.assertLessEqual(mocks, set(session.tool_names()))


class Routing(GoalCase):
    def test_a_prefix_decides(self):
        self.assert_step("Calculate: 2 + 3 * 4", True, "CalculatorSkill", "14.0")
        self.assert_step("echo: find 3 + 4", True, "EchoSkill", "find 3 + 4")
        self.assert_step("tldr: One calculation. ", True, "SummarizeSkill", "One calculation.")
        success, skill, output = goals.step(self.gateway, "osquery: SELECT * FROM processes")
        self.assertEqual((success, skill), (True, "OsqueryMCPSkill"))
        self.assertEqual(json.loads(output), {"sql": "SELECT * FROM processes"})

    def test_then_the_first_that_can(self):
        self.assert_step("what is (1 + 2) * 2?", True, "CalculatorSkill", "6.0")
        self.assert_step("please compute 7 - 9 now", True, "CalculatorSkill", "-2.0")
        self.assert_step("compute: 7 / 2", True, "CalculatorSkill", "3.5")
        self.assert_step("a summary of this: Bees buzz.", True, "SummarizeSkill", "Bees buzz.")
        self.assert_step("summarize in 1 sentence: Bees buzz a lot. Oh.", True, "SummarizeSkill",
                         "Bees buzz a lot.")  # fmt: skip
        for goal, skill in (
            ("find my keys", "MockSearchSkill"),
            ("show me system info", "OsqueryMCPSkill"),
            ("will the weather in Rome be fine", "WeatherSkill"),
            ("what time is it in Europe/Berlin?", "TimeSkill"),
        ):
            self.assertEqual(goals.step(self.gateway, goal)[:2], (True, skill))

    def test_signs_that_are_no_arithmetic(self):
        for goal in ("meet me on 2026-11-15", "open http://x/1/2", "a well-known path /etc/1"):
            self.assert_step(goal, False, "none", f"No skill found to handle goal: {goal}")

    def test_failures_of_skills_are_in_the_trace(self):
        self.assert_step("calculate: 1 / 0", False, "CalculatorSkill",
                         "division by zero ('/' at position 3)")  # fmt: skip
        self.assert_step("calculate this", False, "CalculatorSkill",
                         "No simple expression found in: calculate this")  # fmt: skip
        self.assert_step("summarize:", False, "SummarizeSkill", "No text to summarize")
        success, skill, output = goals.step(self.gateway, "osquery: SELECT 1; DROP TABLE x")
        self.assertEqual((success, skill), (False, "OsqueryMCPSkill"))
        self.assertEqual(output, "only one SQL statement is accepted")

    def test_unicode_stays_as_it_is(self):
        text = "naïve ☃ 日本語 \U0001f600 \"quoted\" \\ \u0000 end"
        self.assert_step(f"echo: {text}", True, "EchoSkill", text)


class Tools(GoalCase):
    def test_any_tool_by_name(self):
        self.assert_step("fake.add: a=5 b=3", True, "fake.add", "8")
        self.assert_step('fake__add: {"a": 5, "b": 4}', True, "fake__add", "9")
        self.assert_step("skills.echo: just text", True, "skills.echo", "just text")
        self.assert_step('skills.echo: text="with = inside"', True, "skills.echo", "with = inside")
        success, skill, output = goals.step(self.gateway, "fake.whoami")
        self.assertEqual((success, skill), (True, "fake.whoami"))
        self.assertIn("pid", json.loads(output))

    def test_mistakes_in_arguments(self):
        for goal in ("fake.add: a=5 and b", "fake.add: {nope", 'fake.add: a="5'):
            success, skill, output = goals.step(self.gateway, goal)
            self.assertEqual((success, skill), (False, "fake.add"))
            self.assertTrue(output)

    def test_failures_of_tools(self):
        self.assert_step("fake.fail: text=sorry", False, "fake.fail", "sorry")

    def test_an_unknown_name_is_plain_text(self):
        goal = "fake.nothing: a=1"
        self.assert_step(goal, False, "none", f"No skill found to handle goal: {goal}")
        self.assert_step("notes: find a pen", True, "MockSearchSkill",
                         goals.step(self.gateway, "search: a pen")[2])  # fmt: skip


class Steps(GoalCase):
    def test_one_after_the_other(self):
        self.assert_steps(
            "calculate: 2 + 3 then calculate: {previous} * 2, then echo: it is {previous}",
            [("CalculatorSkill", "5.0"), ("CalculatorSkill", "10.0"), ("EchoSkill", "it is 10.0")],
        )
        self.assert_steps(
            'echo: say "hi" then fake.echo: {"text": "<{previous}>"} then fake.echo: text={previous}',
            [("EchoSkill", 'say "hi"'), ("fake.echo", '<say "hi">'), ("fake.echo", '<say "hi">')],
        )

    def test_the_first_failure_is_the_last_step(self):
        trace = self.assert_steps(
            "calculate: 1 + 1 then fake.fail: text=stop then echo: never",
            [("CalculatorSkill", "2.0"), ("fake.fail", "stop")],
        )
        self.assertEqual([one["success"] for one in trace], [True, False])

    def test_prose_is_not_cut(self):
        text = "First we eat, then we search. And then nobody: knows."
        self.assert_steps(f"echo: {text}", [("EchoSkill", text)])

    def test_an_answer_is_never_a_step(self):
        """The output of a tool is inserted as text, and never parsed as a goal."""
        self.assert_steps(
            'fake.echo: {"text": "x then fake.fail: text=y"} then echo: {previous}',
            [("fake.echo", "x then fake.fail: text=y"), ("EchoSkill", "x then fake.fail: text=y")],
        )

    def test_too_many(self):
        goal = " then ".join(["echo: x"] * 17)
        self.assert_step(goal, False, "none", "a goal has at most 16 steps")

    def test_growth_is_bounded(self):
        goal = "fake.big: bytes=500000 then echo: {previous}{previous}{previous}"
        trace = goals.send(self.gateway, goal)["trace"]
        self.assertEqual([one["success"] for one in trace], [True, False])
        self.assertIn("exceeds 1048576 bytes", trace[1]["output"])


class Refused(GoalCase):
    def refused(self, body, status=400, headers=None):
        with self.gateway.connect() as connection:
            response = goals.post(connection, body, headers)
        self.assertEqual((response.status, response.header("content-type")), (status, CHARSET))
        message = json.loads(response.body)
        self.assertEqual(list(message), ["error"])
        return message["error"]

    def test_bodies_that_are_no_goal(self):
        for body in (b"", b"nonsense", b"[]", b'"goal"', b"{", b'{"goal":"x"} y', b'{"goal":"\xff"}'):
            with self.subTest(body):
                self.refused(body)
        for body in ({}, {"goal": None}, {"goal": 5}, {"goal": ["x"]}, {"goal": ""},
                     {"goal": " \n\t "}, {"Goal": "x"}):  # fmt: skip
            with self.subTest(body):
                self.assertIn("'goal'", self.refused(body))
        self.refused(b'{"goal":"\\ud800"}')

    def test_the_length(self):
        self.assertIn("10000", self.refused({"goal": "é" * 10_001}))
        self.assertEqual(goals.step(self.gateway, "echo: " + "é" * 9_994)[0], True)

    def test_the_headers(self):
        body = {"goal": "calculate: 1"}
        self.refused(body, 415, {"Content-Type": "text/plain"})
        self.refused(body, 415, {"Accept": "*/*"})
        self.refused(body, 406, {**goals.JSON, "Accept": "text/html"})

    def test_other_methods(self):
        for path, allowed in (("/api/agent/execute", "POST"), ("/api/agent/skills", "GET, HEAD")):
            with self.gateway.connect() as connection:
                response = connection.request("DELETE", path)
            self.assertEqual((response.status, response.header("allow")), (405, allowed))


class Together(TestCase):
    def wait_calls(self, gateway, count):
        wait_until(
            lambda: gateway.metric("patchbay_calls_in_flight") == count, f"{count} calls in flight"
        )

    def test_many_goals_do_not_meet(self):
        config = goals.config(goals.stand_in(), {"fake": fake()}, workers=2)
        with Gateway(config) as gateway:
            wrong, lock = [], threading.Lock()

            def ask(number):
                with gateway.connect() as connection:
                    for turn in range(30):
                        mark = f"{number}-{turn}"
                        goal = (
                            f"fake.echo: text='{mark}' then osquery: SELECT '{mark}' then "
                            f"calculate: {number} * 1000 + {turn} then echo: {mark} {{previous}}"
                        )
                        answer = json.loads(goals.post(connection, {"goal": goal}).body)
                        outputs = [one["output"] for one in answer["trace"]]
                        wanted = [mark, json.dumps({"sql": f"SELECT '{mark}'"}, indent=2),
                                  f"{number * 1000 + turn}.0",
                                  f"{mark} {number * 1000 + turn}.0"]  # fmt: skip
                        if answer["goal"] != goal or outputs != wanted:
                            with lock:
                                wrong.append((goal, outputs))

            threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_a_client_that_leaves_ends_its_goal(self):
        with Gateway(goals.config(upstreams={"fake": fake()})) as gateway:
            connection = gateway.connect()
            data = json.dumps({"goal": "fake.sleep: seconds=60"}).encode()
            connection.send("POST", "/api/agent/execute", goals.JSON, data)
            self.wait_calls(gateway, 1)
            connection.close()
            self.wait_calls(gateway, 0)
            gateway.stderr.wait_for("outcome=cancelled")

    def test_each_step_is_a_call_in_the_record(self):
        with Gateway(goals.config(upstreams={"fake": fake()})) as gateway:
            goals.send(gateway, "calculate: 1 + 1 then fake.echo: text={previous}")
            gateway.stderr.wait_for("name=skills.calculate")
            line = gateway.stderr.wait_for("name=fake.echo")
            self.assertIn("frontend=goal", line)
            self.assertEqual(gateway.metric("patchbay_calls_total", upstream="fake"), 1)

    def test_the_limit_of_calls_holds_for_goals(self):
        config = goals.config(upstreams={"fake": fake()}, limits={"max_calls": 1})
        with Gateway(config) as gateway:
            slow = Background(goals.send, gateway, "fake.sleep: seconds=2")
            self.wait_calls(gateway, 1)
            with gateway.connect() as connection:
                response = goals.post(connection, {"goal": "calculate: 1 + 1"})
            self.assertEqual(response.status, 503)
            self.assertIn("error", json.loads(response.body))
            self.assertTrue(slow.result()["trace"][0]["success"])


class Configured(TestCase):
    def test_order_and_choice_of_skills(self):
        config = goals.config(goals={"skills": ["echo", "mock_search", "calculate"], "max_length": 20})
        with Gateway(config) as gateway:
            self.assertEqual(goals.step(gateway, "find 1 + 1")[1], "MockSearchSkill")
            self.assertEqual(goals.step(gateway, "weather in Rome")[1], "none")
            listed = json.loads(gateway.get("/api/agent/skills").body)
            self.assertEqual(listed["skills"], ["EchoSkill", "MockSearchSkill", "CalculatorSkill"])
            with gateway.connect() as connection:
                self.assertEqual(goals.post(connection, {"goal": "x" * 21}).status, 400)
            config["goals"]["skills"] = ["calculate", "mock_search"]
            gateway.write_config(config)
            wait_until(
                lambda: goals.step(gateway, "find 1 + 1")[1] == "CalculatorSkill", "the new order"
            )

    def test_without_skills_there_are_tools(self):
        with Gateway({"upstreams": {"fake": fake()}}) as gateway:
            self.assertEqual(goals.step(gateway, "calculate: 1 + 1")[1], "none")
            self.assertEqual(goals.step(gateway, "fake.add: a=1 b=1"), (True, "fake.add", "2"))
            listed = json.loads(gateway.get("/api/agent/skills").body)
            self.assertEqual(listed, {"count": 0, "skills": []})

    def test_skills_under_another_name(self):
        with Gateway({"upstreams": {"own": {"kind": "builtin"}}}) as gateway:
            self.assertEqual(goals.step(gateway, "calculate: 1 + 1"), (True, "CalculatorSkill", "2.0"))


if __name__ == "__main__":
    main()
