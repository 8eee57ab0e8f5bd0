"""Each page of the console in a real browser: what it renders, and what one can do there."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from console_case import LARGE, PAGES, TOO_WIDE, BrowserCase, call_tool, shop_config
from harness import McpSession, wait_until

DOWN = {"kind": "stdio", "command": "/nonexistent/billing"}


class EveryPage(BrowserCase):
    config = shop_config(upstreams={**shop_config()["upstreams"], "billing": DOWN})

    def test_no_page_violates_its_policy_or_logs_an_error(self):
        call_tool(self.gateway, "shop__echo", {"text": "hello"})
        for path in PAGES:
            self.show(path)
            self.page.wait_no_text("Loading…")
            self.assertEqual(self.page.policy_violations(), [], path)

    def test_every_page_is_accessible_in_both_colours_and_at_both_sizes(self):
        self.install_axe()
        call_tool(self.gateway, "shop__echo", {"text": "hello"})
        for scheme, size in (("dark", (1280, 860)), ("light", (1280, 860)), ("light", (390, 844))):
            self.page.prefer(scheme)
            self.page.resize(*size)
            for path in (*PAGES, "catalog?id=shop__order", "playground?id=shop__order", "upstreams?name=shop"):
                self.show(path)
                self.page.wait_no_text("Loading…")
                self.assert_accessible((path, scheme, size))

    def test_no_page_is_wider_than_a_narrow_screen(self):
        self.page.resize(390, 844)
        for path in (*PAGES, "catalog?id=shop__order", "playground?id=shop__order", "upstreams?name=shop"):
            self.show(path)
            self.page.wait_no_text("Loading…")
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0, path)

    def test_the_menu_of_a_narrow_screen(self):
        self.page.resize(390, 844)
        self.show()
        self.page.click("button", "Menu")
        self.page.click("nav a", "Catalog")
        self.page.wait_text("shop__order", "main")
        self.page.wait_for("document.querySelector('.side.open') === null")

    def test_an_unknown_page_leads_back(self):
        self.page.open(f"{self.origin}/console/nonsense")
        self.page.wait_text("There is no such page.")
        self.page.click("a", "Go to the overview")
        self.page.wait_text("Needs attention")


class Keyboard(BrowserCase):
    def test_go_to_search_and_help(self):
        self.show()
        self.page.press("g")
        self.page.press("u")
        self.page.wait_text("Upstreams", "h1")
        self.page.press("?")
        self.page.wait_text("Go to Catalog", "dialog")
        self.page.press("Escape")
        self.page.wait_for("document.querySelector('dialog') === null")
        self.page.press("/")
        self.page.wait_for("document.activeElement?.getAttribute('role') === 'combobox'")
        self.page.command("Input.insertText", text="media")
        self.page.wait_text("shop__media", "dialog")
        self.page.press("Enter")
        self.page.wait_text("shop__media", ".detail-name")

    def test_keys_in_a_field_are_text(self):
        self.show("calls")
        self.page.click("main input[type=text]")
        self.page.press("g")
        self.page.press("u")
        self.page.press("/")
        self.page.wait_for("document.activeElement.value === 'gu/'")
        self.assertEqual(self.page.text("h1"), "Calls")

    def test_the_chosen_colours_survive_a_reload(self):
        self.page.prefer("dark")
        self.show()
        self.page.wait_for("document.documentElement.dataset.theme === 'dark'")
        self.page.click("button", "Switch to light colours")
        self.page.wait_for("document.documentElement.dataset.theme === 'light'")
        self.show()
        self.page.wait_for("document.documentElement.dataset.theme === 'light'")


class OverviewPage(BrowserCase):
    config = shop_config(upstreams={**shop_config()["upstreams"], "billing": DOWN})

    def test_the_picture_and_what_needs_attention(self):
        self.show()
        self.page.wait_text("billing is down", "main")
        self.page.wait_for("document.querySelector('.node.bad .node-name')?.innerText.includes('billing')")
        self.page.wait_text("degraded", ".hub")
        with McpSession(self.gateway) as session:
            session.request("tools/call", {"name": "shop__echo", "arguments": {}})
            self.page.wait_text("mcp-http", ".map")
            self.page.wait_text("shop.echo", ".halves")
            self.page.wait_for("document.querySelectorAll('.edge .flow').length >= 2", "calls that flow")

    def test_a_click_on_an_upstream_opens_it(self):
        self.show()
        self.page.click(".node", "billing")
        self.page.wait_text("cannot run /nonexistent/billing", "main")

    def test_the_plots_have_three_ranges(self):
        self.show()
        for label, query in (("3 h", "3h"), ("24 h", "24h")):
            self.page.click("button", label)
            self.page.wait_for(f"location.search === '?range={query}'")
        self.page.wait_for("document.querySelectorAll('.plot canvas').length === 3")


class CallsPage(BrowserCase):
    def test_calls_appear_as_they_finish(self):
        self.show("calls")
        self.page.wait_text("New calls appear as they finish.")
        call_tool(self.gateway, "shop__fail", {"why": "sold out"})
        self.page.wait_text("shop.fail", "table")
        self.page.wait_text("tool_error", "table")

    def test_a_pause_holds_the_list(self):
        self.show("calls")
        self.page.wait_text("New calls appear as they finish.")
        call_tool(self.gateway, "shop__echo", {})
        self.page.wait_text("shop.echo", "table")
        self.page.click("button", "Pause")
        call_tool(self.gateway, "shop__steps", {"steps": 1})
        self.page.wait_for("/Paused, [1-9]/.test(document.querySelector('.stream-state').innerText)")
        self.assertNotIn("shop.steps", self.page.text("table tbody tr"))
        self.page.click("button", "Resume")
        self.page.wait_text("shop.steps", "table")

    def test_filters_select_and_are_part_of_the_address(self):
        call_tool(self.gateway, "shop__echo", {})
        call_tool(self.gateway, "shop__fail", {})
        self.show("calls")
        self.page.wait_text("shop.echo", "table")
        self.page.choose("main select", "!ok")
        self.page.wait_no_text("shop.echo", "table")
        self.page.wait_for("location.search.includes('outcome=%21ok')")
        self.show("calls?tool=nothing.*")
        self.page.wait_text("No call matches these filters")
        self.page.click("main a.button", "Reset")
        self.page.wait_text("shop.echo", "table")

    def test_one_call_has_its_stages(self):
        call_tool(self.gateway, "shop__echo", {"text": "x"})
        self.show("calls")
        self.page.click("table a", "shop.echo")
        self.page.wait_text("attempt", ".waterfall")
        for text in ("tools/call", "shop__echo", "mcp-http", "tests 1"):
            self.page.wait_text(text, "main")
        self.page.click("main a", "Repeat in the playground")
        self.page.wait_text("shop__echo", ".detail-name")

    def test_a_forgotten_trace_says_so(self):
        self.show(f"calls?of={'ab' * 16}")
        self.page.wait_text("no longer stores this trace")

    def expected_faults(self):
        return [fault for fault in self.page.faults if "/traces/abab" in fault or "/audit?" in fault]

    def test_without_an_audit_database_it_says_how_to_get_one(self):
        self.show("calls?view=audit")
        self.page.wait_text("No audit database")


class CatalogBrowsing(BrowserCase):
    def test_a_tool_with_its_schema(self):
        self.show("catalog")
        self.page.fill("main input[type=search]", "order")
        self.page.wait_text("Places an order", ".entries")
        self.page.click(".entry", "shop__order")
        for text in ("customer", '"low" | "normal" | "high"', "(Invoice)", "street", "tokens", "destructive"):
            self.page.wait_text(text, ".detail")
        self.page.click("summary")
        self.page.wait_text('"inputSchema"', ".detail")

    def test_prompts_resources_and_templates(self):
        for tab, name in (("Prompts", "shop__offer"), ("Resources", "shop://terms"), ("Templates", "shop://city/{city}")):
            self.show("catalog")
            self.page.click("main .tabs button", tab)
            self.page.wait_text(name, ".entries")


class ApprovalsPage(BrowserCase):
    config = shop_config(
        rules=[{"role": "local", "allow": ["*.*"], "approve": ["shop.echo"]}], approvals={"elicit": False}
    )

    def ask_for(self, text):
        """A call that waits."""
        result = call_tool(self.gateway, "shop__echo", {"text": text})
        self.assertIn("needs approval", str(result))

    def test_the_exact_arguments_are_approved_once(self):
        self.ask_for("pay 7")
        self.show("approvals")
        self.page.wait_text('"text": "pay 7"', "main")
        self.page.wait_text("1", "nav .count")
        self.page.click("main button", "Approve once")
        self.page.wait_text("Approved, not yet repeated", "main")
        self.assertIn("pay 7", str(call_tool(self.gateway, "shop__echo", {"text": "pay 7"})))
        self.ask_for("pay 8")
        self.page.wait_text('"text": "pay 8"', "main")
        self.page.click("main button", "Deny")
        self.page.wait_text("No call waits for approval", "main")

    def test_numbers_keep_every_digit(self):
        call_tool(self.gateway, "shop__echo", {"text": "n", "account": LARGE})
        self.show("approvals")
        self.page.wait_text(f'"account": {LARGE}', "main")
        self.page.click("main button", "Deny")
        self.page.wait_text("No call waits for approval", "main")

    def test_what_has_changed_since_the_last_one(self):
        self.ask_for("first")
        self.show("approvals")
        self.page.wait_text('"text": "first"', "main")
        self.page.click("main button", "Approve once")
        self.page.wait_text("Approved, not yet repeated", "main")
        call_tool(self.gateway, "shop__echo", {"text": "first"})
        self.ask_for("second")
        self.page.wait_text('-   "text": "first"', "main")
        self.page.wait_text('+   "text": "second"', "main")
        self.page.fill("input.reason", "too much")
        self.page.click("main button", "Deny")
        self.page.wait_text("No call waits for approval", "main")


class UpstreamsPage(BrowserCase):
    def test_one_upstream_with_its_stderr_and_a_restart(self):
        call_tool(self.gateway, "shop__complain", {"text": "paper is out"})
        self.show("upstreams")
        self.page.wait_text("stdio", "table")
        self.page.click("table a", "shop")
        self.page.wait_text("paper is out", "main")
        before = self.restarts()
        self.page.click("main button", "Restart")
        self.page.click("dialog button", "Restart")
        wait_until(lambda: self.restarts() > before, "the restart")
        self.page.wait_text("shop restarts")

    def restarts(self):
        for upstream in self.gateway.get("/control/v1/upstreams").json()["upstreams"]:
            if upstream["name"] == "shop":
                return upstream["restarts"]
        return 0


class ClientsPage(BrowserCase):
    def test_a_session_is_listed_and_ended(self):
        with McpSession(self.gateway) as session:
            self.show("clients")
            self.page.wait_text("tests 1", "table")
            self.page.click("table button", "End tests 1")
            self.page.click("dialog button", "End")
            self.page.wait_text("It has been ended.")
            gone = session.post({"jsonrpc": "2.0", "id": 99, "method": "ping"})
            self.assertEqual(gone.status, 404)


class FirstUse(BrowserCase):
    def test_the_overview_leads_to_the_setup_until_it_is_dismissed(self):
        self.show()
        self.page.wait_text("No tool has been called yet.", "main")
        self.page.click("main .notice a", "Setup")
        self.page.wait_text("Add a server", "main")
        self.show()
        self.page.click("main .notice button", "Dismiss")
        self.page.wait_no_text("No tool has been called yet.")
        self.show()
        self.page.wait_text("Nothing needs attention.", "main")
        self.assertNotIn("No tool has been called yet.", self.page.text("main"))


class ConnectAndSetup(BrowserCase):
    def test_each_client_has_its_line_and_its_file(self):
        self.show("connect")
        url = f"{self.origin}/mcp"
        for name in ("claude-code", "cursor", "vscode", "gemini", "codex", "opencode"):
            self.page.open(f"{self.origin}/console/connect?client={name}")
            self.page.wait_text(f"patchbay connect {name} --url {url}", "main")
        self.page.open(f"{self.origin}/console/connect?client=cursor")
        self.page.wait_for("document.querySelector('main a.primary')?.href.startsWith('cursor://')")

    def test_the_steps_are_checked_off(self):
        call_tool(self.gateway, "shop__echo", {})
        self.show("setup")
        done = "[...document.querySelectorAll('.step .badge.ok')].length"
        self.page.wait_for(f"{done} === 4", "all steps but the token")
        self.page.fill(".step input", "files")
        self.page.fill(".step .label:nth-child(2) input", "npx server .")
        self.page.wait_text("patchbay add files -- npx server .", "main")


if __name__ == "__main__":
    unittest.main()
