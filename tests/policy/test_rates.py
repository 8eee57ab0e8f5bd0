"""Rate limits, limits on concurrent calls, and limits on the size of results."""

import json
import sys
import urllib.parse

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    fake_config,
    main,
    result_of,
    stateless_call,
    stateless_message,
    stateless_post,
    text_of,
    wait_until,
)

HOUR = {"window": "1h"}


def with_rates(*rows, **settings):
    return fake_config(limits={"rates": list(rows)}, **settings)


def call_message(tool="fake__echo", **arguments):
    return stateless_message("tools/call", {"name": tool, "arguments": arguments})


class HowOften(TestCase):
    def test_a_call_beyond_the_rate_gets_a_retry_time(self):
        with Gateway(with_rates({"per": "principal", "calls": 2, **HOUR})) as gateway:
            for left in (1, 0):
                answer = stateless_post(gateway, call_message(text="x"))
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.header("x-ratelimit-limit"), "2")
                self.assertEqual(answer.header("x-ratelimit-remaining"), str(left))
                self.assertGreater(int(answer.header("x-ratelimit-reset")), 0)
            answer = stateless_post(gateway, call_message(text="x"))
            self.assertEqual(answer.status, 429)
            error = answer.json()["error"]
            self.assertEqual((error["code"], error["data"]["reason"]), (-32029, "rate_limited"))
            self.assertEqual((error["data"]["limit"], error["data"]["window"]), (2, "1h"))
            wait = int(answer.header("retry-after"))
            self.assertTrue(1700 < wait <= 1800, wait)
            self.assertEqual((error["data"]["retryAfterMs"] + 999) // 1000, wait)
            self.assertEqual(gateway.metric("patchbay_calls_total", outcome="rate_limited"), 1)
            refused = gateway.stderr.wait_for("outcome=rate_limited")
            self.assertIn("name=fake__echo", refused)

    def test_every_frontend_reports_it(self):
        with Gateway(with_rates({"per": "address", "calls": 2, **HOUR})) as gateway:
            with McpSession(gateway) as session:
                self.assertEqual(text_of(session.call("fake__echo", text="x")), "x")
                message = {"jsonrpc": "2.0", "id": 9, "method": "tools/list"}
                answer = session.post(message)
                self.assertEqual(answer.status, 429)
                self.assert_error(json.loads(answer.read()), -32029, "rate_limited")
            with gateway.connect() as connection:
                fields = {"Content-Type": "application/json"}
                for path in ("/api/fake.echo", "/mcp/v1/tools/fake.echo", "/agents/fake.echo"):
                    answer = connection.request("POST", path, fields, {"text": "x"})
                    self.assertEqual(answer.status, 429, path)
                    self.assertGreater(int(answer.header("retry-after")), 0)
                goal = {"goal": "fake.echo: text=x"}
                answer = connection.request("POST", "/api/agent/execute", fields, goal)
                self.assertEqual(answer.status, 429)
                self.assertEqual(connection.request("GET", "/health").status, 200)

    def test_a_tool_of_its_own(self):
        rows = ({"per": "tool", "tools": ["fake.ech*"], "max_calls": 1, **HOUR},)
        with Gateway(with_rates(*rows)) as gateway:
            self.assertEqual(text_of(stateless_call(gateway, "fake__echo", text="x")), "x")
            self.assert_error(stateless_call(gateway, "fake__echo", text="x"), -32029)
            self.assertEqual(text_of(stateless_call(gateway, "fake__add", a=1, b=2)), "3")

    def test_roles_from_scopes(self):
        tokens = [
            {"name": "guest", "token": "a-token-for-guests-0123456789", "scopes": ["read"]},
            {"name": "owner", "token": "a-token-for-owners-0123456789", "roles": ["admin"]},
        ]
        rules = [
            {"role": "reader", "scopes": ["read"], "allow": ["fake.*"]},
            {"role": "admin", "allow": ["fake.*"]},
        ]
        row = {"per": "principal", "roles": ["reader"], "max_calls": 1, **HOUR}
        config = with_rates(row, auth={"tokens": tokens}, rules=rules)
        with Gateway(config) as gateway:

            def call(token):
                message = call_message(text="x")
                return stateless_post(gateway, message, {"Authorization": f"Bearer {token}"}).status

            self.assertEqual(call(tokens[0]["token"]), 200)
            self.assertEqual(call(tokens[0]["token"]), 429)
            self.assertEqual([call(tokens[1]["token"]) for _ in range(3)], [200] * 3)

    def test_rows_at_the_edge_of_arithmetic(self):
        rows = (
            {"per": "principal", "max_calls": 1, "window": "24h", "burst": 1_000_000_000},
            {"per": "address", "max_calls": 1_000_000_000, "window": "100ms"},
        )
        with Gateway(with_rates(*rows)) as gateway:
            for _ in range(3):
                answer = stateless_post(gateway, call_message(text="x"))
                self.assertEqual(answer.status, 200)
                self.assertGreater(int(answer.header("x-ratelimit-remaining")), 1000)
                self.assertGreaterEqual(int(answer.header("x-ratelimit-reset")), 0)

    def test_how_many_run_at_once(self):
        with Gateway(with_rates({"per": "upstream", "running": 2})) as gateway:
            with McpSession(gateway) as session:
                for _ in range(2):
                    session.call_later("fake__sleep", seconds=60)
                wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 2, "both to run")
                refused = stateless_call(gateway, "fake__echo", text="x")
                self.assert_error(refused, -32029, "rate_limited")
                session.notify("notifications/cancelled", {"requestId": 1})
                session.notify("notifications/cancelled", {"requestId": 2})
                wait_until(
                    lambda: "error" not in stateless_call(gateway, "fake__echo", text="x"),
                    "a place to be free again",
                )

    def test_a_reload_forgets_nothing_unless_the_rows_change(self):
        row = {"per": "everyone", "max_calls": 1, **HOUR}
        with Gateway(with_rates(row)) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            gateway.write_config(with_rates(row, log={"level": "debug"}))
            gateway.stderr.wait_for("reloaded")
            self.assert_error(stateless_call(gateway, "fake__echo", text="x"), -32029)
            gateway.write_config(with_rates({**row, "max_calls": 2}))
            wait_until(
                lambda: "error" not in stateless_call(gateway, "fake__echo", text="x"), "the new rows"
            )

    def test_a_bad_row_is_named(self):
        with self.assertRaises(AssertionError) as caught:
            with Gateway(with_rates({"per": "planet", "max_calls": -1})):
                pass
        self.assertIn("limits.rates[0].per", str(caught.exception))
        self.assertIn("limits.rates[0].max_calls", str(caught.exception))


def budget(most, **limits):
    rows = [{"tools": ["fake.big"], "max_size": most}]
    return fake_config(limits={"results": rows, **limits})


class HowLarge(TestCase):
    def read_all(self, gateway, uri):
        text, pages = "", 0
        while uri:
            message = stateless_message("resources/read", {"uri": uri})
            answer = stateless_post(gateway, message).json()
            result = result_of(answer)
            text += result["contents"][0]["text"]
            uri = result["_meta"]["patchbay/page"].get("next")
            pages += 1
        return text, pages

    def test_a_result_beyond_the_budget_is_read_in_pages(self):
        with Gateway(budget("4KiB", kept_page="1KiB")) as gateway:
            whole = text_of(stateless_call(gateway, "fake__big", bytes=1000))
            self.assertEqual(len(whole), 1000)
            result = result_of(stateless_call(gateway, "fake__big", bytes=10_000))
            self.assertNotIn("isError", result)
            note, link = result["content"]
            self.assertIn("read ", note["text"])
            self.assertEqual((link["type"], link["mimeType"], link["size"]), ("resource_link", "text/plain", 10_000))
            text, pages = self.read_all(gateway, link["uri"])
            self.assertEqual((len(text), pages), (10_000, 10))
            path = "/rcs/" + urllib.parse.quote(link["uri"], safe="")
            page = gateway.get(path, {"Accept": "text/plain"})
            self.assertEqual((page.status, page.body.decode()), (200, text[:1024]))

    def test_clients_without_links_get_the_note(self):
        with Gateway(budget("4KiB")) as gateway, McpSession(gateway, "2025-03-26") as session:
            result = result_of(session.call("fake__big", bytes=10_000))
            self.assertEqual({block["type"] for block in result["content"]}, {"text"})

    def test_what_is_unknown_or_gone(self):
        with Gateway(budget("4KiB", kept_results="1MiB")) as gateway:
            link = result_of(stateless_call(gateway, "fake__big", bytes=600_000))["content"][1]["uri"]
            for uri in (link + "x", link[:-2] + "/0", "patchbay://results/", "patchbay://results/../1"):
                message = stateless_message("resources/read", {"uri": uri})
                self.assert_error(stateless_post(gateway, message).json(), -32602)
            stateless_call(gateway, "fake__big", bytes=600_000)
            message = stateless_message("resources/read", {"uri": link})
            self.assert_error(stateless_post(gateway, message).json(), -32602)
            answer = stateless_call(gateway, "fake__big", bytes=2_000_000)
            self.assertIn("limits.max_stored_results_size", json.dumps(answer))


main()
