"""Tools and resources over plain HTTP: lists, calls, statuses, validation, settings."""

import json
import os
import sys
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, Gateway, TestCase, main, result_of, stateless_call, wait_until
from items_upstream import items
from rest_case import JSON, RestCase, content_server


class McpPaths(RestCase):
    def test_tools_are_listed_with_dotted_names(self):
        tools = self.json(self.get("/mcp/v1/tools"))["tools"]
        names = [tool["name"] for tool in tools]
        self.assertIn("con.add", names)
        self.assertIn("skills.calculate", names)
        add = tools[names.index("con.add")]
        self.assertEqual(add["title"], "Adds")
        self.assertEqual(add["inputSchema"]["required"], ["a", "b"])

    def test_tools_by_name(self):
        tools = self.json(self.get("/mcp/v1/tools?format=map&server=con"))
        self.assertEqual(set(tools["con_add"]), {"name", "description", "inputSchema"})
        self.assertIn("con_with_slash", tools)
        self.assertNotIn("skills_echo", tools)

    def test_filters(self):
        listed = self.json(self.get("/mcp/v1/tools?server=con&q=NUMBERS"))["tools"]
        self.assertEqual([tool["name"] for tool in listed], ["con.add"])
        self.assertEqual(self.json(self.get("/mcp/v1/tools?server=nobody"))["tools"], [])
        for query in ("serve=con", "format=xml", "q=a&q=b", "cursor=nonsense", "q=%0a"):
            with self.subTest(query):
                self.assertEqual(self.get(f"/mcp/v1/tools?{query}").status, 400)

    def test_one_tool(self):
        for name in ("con.add", "con__add", "con_add", "add"):
            tool = self.json(self.get(f"/mcp/v1/tools/{name}"))
            self.assertEqual((tool["name"], tool["title"]), ("con.add", "Adds"))
        self.assert_mcp_error(self.get("/mcp/v1/tools/nope"), 404, -32602)

    def test_a_call_answers_the_result_of_mcp(self):
        for path in ("/mcp/v1/tools/con.add", "/gateway/prod/mcp/v1/tools/con.add"):
            result = self.json(self.post(path, {"a": 5, "b": 3}))
            self.assertEqual(result["structuredContent"], {"sum": 8})
            self.assertEqual(result["content"], [{"type": "text", "text": "8"}])
        failed = self.json(self.post("/mcp/v1/tools/con.fail"))
        self.assertIs(failed["isError"], True)

    def test_errors_are_those_of_mcp(self):
        self.assert_mcp_error(self.post("/mcp/v1/tools/nope"), 404, -32602)
        self.assert_mcp_error(self.post("/mcp/v1/tools/con.add", b"{"), 400, -32700)
        self.assert_mcp_error(self.post("/mcp/v1/tools/con.add", b"[]"), 400, -32602)
        self.assert_mcp_error(self.get("/mcp/v1/resources/nope"), 404, -32602)
        self.assert_mcp_error(self.get("/mcp/v1/nope"), 404, -32602)
        self.assert_mcp_error(self.post("/mcp/v1/tools/con.refuse", {"code": -5}), 502, -5)

    def test_resources(self):
        listed = self.json(self.get("/mcp/v1/resources?server=con"))
        self.assertIn("test://text", [resource["uri"] for resource in listed["resources"]])
        self.assertEqual(listed["resourceTemplates"][0]["uriTemplate"], "test://item/{id}")
        by_name = self.json(self.get("/mcp/v1/resources?format=map&server=con"))
        self.assertEqual(by_name["con.test://text"]["mimeType"], "text/markdown")

    def test_a_resource_by_uri_by_name_and_behind_its_server(self):
        names = ("test://text", "test%3A%2F%2Ftext", "text", "con.test://text", "con.text")
        for name in names:
            with self.subTest(name):
                result = self.json(self.get(f"/mcp/v1/resources/{name}"))
                self.assertEqual(result["contents"][0]["text"], "# Title\n")

    def test_health(self):
        health = self.json(self.get("/mcp/v1/health"))
        self.assertEqual((health["status"], health["servers"]), ("UP", 3))
        self.assertEqual([state["name"] for state in health["states"]], ["skills", "con", "ask"])
        self.assertGreater(health["tools"], 10)
        self.assertGreater(health["resources"], 10)
        self.assertEqual(self.json(self.get("/gateway/prod/mcp/v1/health"))["status"], "UP")

    def test_everything_as_one_list(self):
        for path in ("/agents", "/agents/"):
            agents = self.json(self.get(path))
            by_href = {agent["href"]: agent for agent in agents}
            self.assertEqual(by_href["/agents/con.add"]["type"], "tool")
            self.assertEqual(by_href["/agents/con.add"]["inputSchema"]["required"], ["a", "b"])
            self.assertEqual(by_href["/agents/test%3A%2F%2Ftext"]["uri"], "test://text")
            self.assertEqual(self.get("/agents/test%3A%2F%2Ftext").body, b"# Title\n")
        (only,) = self.json(self.get("/agents?server=con&q=numbers"))
        self.assertEqual(only["name"], "con.add")
        self.assert_plain_error(self.get("/agents?format=map"), 400, "server and q")
        self.assert_plain_error(self.post("/agents"), 405)

    def test_what_the_client_cannot_read(self):
        image = {"Accept": "image/png"}
        self.assert_mcp_error(self.get("/mcp/v1/tools", image), 406, -32600)
        self.assert_plain_error(self.post("/api/con.add", {"a": 1, "b": 2}, image), 406)
        self.assert_plain_error(self.get("/rcs/test://text", image), 406)
        self.assertEqual(self.get("/mcp/v1/health", image).status, 200)
        self.assertEqual(self.get("/rcs/test://bytes", {"Accept": "application/*"}).status, 200)
        self.assertEqual(self.get("/mcp/v1/tools", {"Accept": ""}).status, 200)

    def test_another_topology_is_not_there(self):
        self.assertEqual(self.get("/gateway/test/mcp/v1/health").status, 404)
        self.assertEqual(self.post("/gateway/prod/api/con.add", {"a": 1, "b": 2}).status, 404)

    def test_methods(self):
        response = self.post("/mcp/v1/tools")
        self.assertEqual((response.status, response.header("allow")), (405, "GET, HEAD"))
        response = self.get("/api/con.add")
        self.assertEqual((response.status, response.header("allow")), (405, "POST"))
        self.assertEqual(self.send("DELETE", "/mcp/v1/tools/con.add").status, 405)
        response = self.send("OPTIONS", "/rcs/test://text")
        self.assert_plain_error(response, 405)
        self.assertEqual(response.header("allow"), "GET, HEAD")
        self.assert_plain_error(self.send("PUT", "/openapi.json"), 405)
        self.assert_plain_error(self.send("PUT", "/swagger-ui/index.html"), 405)
        head = self.send("HEAD", "/mcp/v1/health")
        self.assertEqual(head.status, 200)


class Pages(RestCase):
    settings = {"limits": {"page_size": 4}}

    def test_pages_follow_each_other(self):
        seen, cursor = [], ""
        for _ in range(20):
            page = self.json(self.get(f"/mcp/v1/tools?cursor={quote(cursor)}"))
            self.assertLessEqual(len(page["tools"]), 4)
            seen += [tool["name"] for tool in page["tools"]]
            cursor = page.get("nextCursor", "")
            if not cursor:
                break
        self.assertEqual(len(seen), len(set(seen)))
        self.assertGreater(len(seen), 15)

    def test_one_tool_is_found_on_any_page(self):
        self.assertEqual(self.json(self.get("/mcp/v1/tools/ask.die"))["name"], "ask.die")


class Calls(RestCase):
    def test_structured_content_or_content(self):
        self.assertEqual(self.json(self.post("/api/con.add", {"a": 1, "b": 2})), {"sum": 3})
        self.assertEqual(self.json(self.post("/agents/con.add", {"a": 1, "b": 2})), {"sum": 3})
        self.assertEqual(self.json(self.post("/api/loose")), {"anything": True})
        answer = self.json(self.post("/api/skills.echo", {"text": "ä\n😀"}))
        self.assertEqual(answer, {"content": [{"type": "text", "text": "ä\n😀"}]})

    def test_no_body_is_an_empty_object(self):
        response = self.send("POST", "/api/con.move")
        self.assertEqual(self.json(response)["content"][0]["text"], "move {}")

    def test_odd_names(self):
        for name in ("con.with/slash", "con.ünï çode"):
            answer = self.json(self.post("/api/" + quote(name, safe="")))
            self.assertEqual(answer["content"][0]["text"], name.removeprefix("con.") + " {}")

    def test_statuses(self):
        for path, body, headers, status, message in (
            ("/api/nope", {}, None, 404, "unknown tool: nope"),
            ("/api/con.add", b"{", None, 400, "invalid JSON"),
            ("/api/con.add", b"7", None, 400, "JSON object"),
            ("/api/con.add", b'{"a":1},"name":"x"', None, 400, "invalid JSON"),
            ("/api/con.add", b"a=1", {"Content-Type": "text/plain"}, 415, "application/json"),
            ("/api/con.fail", {}, None, 422, "no luck"),
            ("/api/con.refuse", {"code": -32602}, None, 400, "refused"),
            ("/api/con.refuse", {"code": -1}, None, 502, "refused"),
        ):
            with self.subTest(path=path, body=body):
                self.assert_plain_error(self.post(path, body, headers), status, message)

    def test_an_upstream_that_is_late_or_down(self):
        restart = {
            "initial_interval": "60s",
            "max_interval": "60s",
            "breaker_threshold": 1000,
            "window": "60s",
        }
        server = {**content_server(), "timeout": "300ms", "restart": restart}
        with Gateway({"upstreams": {"con": server}}) as gateway, gateway.connect() as connection:
            late = connection.request("POST", "/api/con.stuck", JSON, {})
            self.assert_plain_error(late, 504)
            os.kill(gateway.children()[0], 9)
            wait_until(lambda: gateway.get("/mcp/v1/health").status == 503)
            self.assertEqual(json.loads(gateway.get("/mcp/v1/health").body)["status"], "DOWN")
            gone = connection.request("POST", "/api/con.move", JSON, {})
            self.assert_plain_error(gone, 503)
            # It is known when the next attempt will be.
            self.assertGreater(int(gone.header("retry-after")), 30)

    def test_too_much_at_once_is_refused(self):
        with Gateway({"upstreams": {"con": content_server()}, "limits": {"max_calls": 1}}) as gateway:
            with gateway.connect() as first, gateway.connect() as second:
                first.send("POST", "/api/con.stuck", JSON, {})
                wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1)
                refused = second.request("POST", "/api/con.move", JSON, {})
                self.assert_plain_error(refused, 503, "too many calls")
                self.assertEqual(refused.header("retry-after"), "1")

    def test_a_client_that_leaves_cancels_its_call(self):
        connection = self.gateway.connect()
        connection.send("POST", "/api/con.stuck", JSON, {})
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1)
        connection.close()
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 0)

    def test_the_correlation_id_is_that_of_the_client_and_in_the_log(self):
        own = self.post("/api/con.move", {}, {"X-Correlation-Id": "order-17"})
        self.assertEqual(own.header("x-correlation-id"), "order-17")
        self.gateway.stderr.wait_for("order-17")
        ids = {self.post("/api/con.move").header("x-correlation-id") for _ in range(3)}
        self.assertEqual(len(ids), 3)
        long = self.post("/api/con.move", {}, {"X-Correlation-Id": "x" * 500})
        self.assertLess(len(long.header("x-correlation-id")), 129)

    def test_calls_are_recorded_like_all_others(self):
        before = self.gateway.metric("patchbay_calls_total", upstream="con", outcome="ok")
        self.post("/api/con.move")
        self.assertEqual(
            self.gateway.metric("patchbay_calls_total", upstream="con", outcome="ok"), before + 1
        )
        self.gateway.stderr.wait_for("frontend=rest")


class LargeBodies(RestCase):
    settings = {"limits": {"max_body_size": "1KiB"}}

    def test_each_frontend_reports_it_in_its_format(self):
        body = b"[" + b"1," * 2000 + b"1]"
        for chunked in (False, True):
            for path, check in (
                ("/api/con.add", lambda answer: self.assert_plain_error(answer, 413, "1024")),
                ("/mcp/v1/tools/con.add", lambda answer: self.assert_mcp_error(answer, 413, -32600)),
                (
                    "/api/agent/execute",
                    lambda answer: self.assertEqual(
                        answer.json(), {"error": "the body exceeds 1024 bytes"}
                    ),
                ),
            ):
                with self.subTest(path, chunked=chunked), self.gateway.connect() as connection:
                    connection.send("POST", path, JSON, body, chunked=chunked)
                    answer = connection.read_response()
                    self.assertEqual(answer.status, 413)
                    check(answer)


class Precedence(RestCase):
    def test_what_is_exact_comes_first(self):
        self.assertEqual(self.get("/mcp/v1/tools").status, 200)
        # /mcp itself and /mcp/message are other frontends.
        self.assertEqual(self.send("POST", "/mcp", b"{}").status, 400)
        self.assertNotEqual(self.send("POST", "/mcp/message", b"{}").status, 405)
        self.assertEqual(self.get("/mcp/v1").status, 404)
        self.assertEqual(self.get("/api").status, 404)


class Validation(RestCase):
    def test_arguments_must_fit_before_anything_is_sent(self):
        self.post("/api/con.move", {"to": {"x": 1}})
        wrong = self.post("/api/con.move", {"to": {"x": "far"}})
        self.assert_plain_error(wrong, 400, "/to/x")
        self.assert_mcp_error(self.post("/mcp/v1/tools/con.add", {"a": 1}), 400, -32602)
        result = result_of(stateless_call(self.gateway, "con__add", a=1, b="2"))
        self.assertTrue(result["isError"])
        self.assertIn("/b", result["content"][0]["text"])
        seen = json.loads(self.json(self.post("/api/con.seen"))["content"][0]["text"])
        self.assertEqual(seen["arguments"], {"to": {"x": 1}})

    def test_results_that_do_not_fit_are_logged(self):
        self.assertEqual(self.json(self.post("/api/con.odd")), {"n": "not a number"})
        self.gateway.stderr.wait_for("result does not fit")

    def test_modes(self):
        for mode, moved, odd in (("off", 200, 200), ("warn", 200, 200), ("enforce", 400, 502)):
            config = {
                "upstreams": {"con": content_server()},
                "validation": {"arguments": mode, "results": mode},
            }
            with self.subTest(mode), Gateway(config) as gateway, gateway.connect() as connection:
                answer = connection.request("POST", "/api/con.move", JSON, {"to": {}})
                self.assertEqual(answer.status, moved)
                answer = connection.request("POST", "/api/con.odd", JSON, {})
                self.assertEqual(answer.status, odd, answer.body)
                # The tool's own error text is not changed.
                answer = connection.request("POST", "/api/con.fail", JSON, {})
                self.assertEqual(answer.status, 422)
                if mode == "warn":
                    gateway.stderr.wait_for("arguments do not fit")
                    gateway.stderr.wait_for("result does not fit")
            if mode == "off":
                self.assertNotIn("do not fit", gateway.stderr.text())


class Settings(TestCase):
    def test_it_can_be_turned_off_and_on_while_running(self):
        config = {"rest": {"enabled": False, "topology": "one"}}
        with Gateway(config) as gateway:
            for path in ("/mcp/v1/tools", "/rcs/x", "/openapi.json", "/swagger-ui/index.html"):
                self.assertEqual(gateway.get(path).status, 404, path)
            gateway.write_config({"rest": {"topology": "two"}})
            wait_until(lambda: gateway.get("/gateway/two/mcp/v1/health").status == 200)
            self.assertEqual(gateway.get("/gateway/one/mcp/v1/health").status, 404)
            self.assertEqual(gateway.get("/openapi.json").status, 200)
            gateway.write_config({"rest": {"openapi": False}})
            wait_until(lambda: gateway.get("/openapi.json").status == 404)
            wait_until(lambda: gateway.get("/swagger-ui/index.html").status == 404)  # On another worker.
            self.assertEqual(gateway.get("/mcp/v1/health").status, 200)

    def test_a_stop_lets_calls_finish(self):
        with Gateway({"upstreams": {"one": items("one")}}) as gateway:
            connection = self.enterContext(gateway.connect())
            connection.send("POST", "/api/one.wait", JSON, {})
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1)
            stopping = Background(gateway.stop)
            self.assertEqual(connection.read_response().status, 200)
            self.assertEqual(stopping.result(), 0)


if __name__ == "__main__":
    main()
