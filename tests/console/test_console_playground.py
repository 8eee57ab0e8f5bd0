"""The playground of the console in a real browser: forms, questions meanwhile, and results."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from chromium_page import CONTROL
from console_case import LARGE, TOO_WIDE, BrowserCase
from harness import wait_until


class PlaygroundCalls(BrowserCase):
    def test_a_nested_form_becomes_arguments(self):
        self.try_tool("shop__order")
        self.page.fill("main .field > input", "Ann")
        self.page.fill(".items .item-row input", "lamp")
        self.page.click("button", "Add to Lines")
        self.page.wait_for("document.querySelectorAll('.item-row').length === 2")
        self.page.click("button", "Remove item 2 of Lines")
        self.page.wait_for("document.querySelectorAll('.item-row').length === 1")
        self.page.click("button", "Set payment")
        self.page.choose("select", "1", "Form of Payment")
        self.page.click("button", "Set labels")
        self.page.click(".boxes label", "cold")
        self.page.click("button", "JSON")
        arguments = self.page.evaluate("JSON.parse(document.querySelector('textarea.json').value)")
        self.assertEqual(arguments["lines"], [{"article": "lamp", "quantity": 1}])
        self.assertEqual((arguments["customer"], arguments["priority"]), ("Ann", "normal"))
        self.assertEqual(arguments["payment"]["kind"], "invoice")
        self.assertEqual(arguments["labels"], ["cold"])

    def test_json_and_the_form_are_the_same_arguments(self):
        self.try_tool("shop__order")
        self.page.click("button", "JSON")
        self.page.fill("textarea.json", '{"customer": "Bo", "lines": [{"article": "a", "quantity": 3, "price": 2}]}')
        self.page.click("button", "Form")
        self.page.wait_for("document.querySelector('main .field > input').value === 'Bo'")
        self.call()
        self.assertIn('"total": 6', self.result())
        self.page.wait_text("matches its schema", ".result")

    def test_numbers_keep_every_digit(self):
        self.try_tool("shop__echo")
        self.page.click("button", "JSON")
        self.page.fill("textarea.json", f'{{"account": {LARGE}}}')
        self.call()
        self.assertIn(f'"account": {LARGE}', self.result())

    def test_what_is_wrong_is_marked_and_can_be_sent_nevertheless(self):
        self.try_tool("shop__order")
        self.call()
        self.page.wait_text("length must be ≥ 2")
        self.page.wait_for("document.querySelector('[aria-invalid=true]') !== null")
        self.call()
        self.assertIn("error", self.result())

    def test_progress_and_the_result(self):
        for revision in ("2026-07-28", "2025-11-25"):
            self.try_tool("shop__steps", revision=revision)
            self.page.fill("main .field input", "4")
            self.call()
            self.page.wait_for("document.querySelector('progress') !== null", "a progress bar")
            self.assertIn("4 steps done", self.result())

    def test_a_call_is_cancelled(self):
        for revision in ("2026-07-28", "2025-11-25"):
            self.try_tool("shop__wait", revision=revision)
            self.call()
            self.page.click(".result button", "Cancel")
            self.assertIn("Cancelled.", self.result())
            found = lambda: self.gateway.get("/control/v1/calls?tool=shop.wait&limit=1").json()["calls"]
            wait_until(lambda: found() and found()[0]["outcome"] == "cancelled", "the call to be cancelled")

    def test_a_form_of_the_upstream_is_answered_in_the_page(self):
        for revision in ("2026-07-28", "2025-11-25"):
            self.try_tool("shop__survey", revision=revision)
            self.call()
            self.page.wait_text("Please complete your order.", ".question")
            self.page.click(".question button", "Send")
            self.page.wait_text("length must be ≥ 1", ".question")
            self.page.fill(".question input", "Ann")
            self.page.click(".question button", "Send")
            answer = self.result()
            self.assertIn('"action": "accept"', answer)
            self.assertIn('"name": "Ann"', answer)

    def test_a_form_is_declined(self):
        self.try_tool("shop__survey")
        self.call()
        self.page.click(".question button", "Decline")
        self.assertIn('"action": "decline"', self.result())

    def test_a_person_answers_as_the_model(self):
        for revision in ("2026-07-28", "2025-11-25"):
            self.try_tool("shop__summarize", revision=revision)
            self.page.fill("main .field input", "War and Peace")
            self.call()
            self.page.wait_text("Summarize: War and Peace", ".question")
            self.page.wait_text("Be brief.", ".question")
            self.page.fill(".question textarea", "It is about Russia.")
            self.page.click(".question button", "Send")
            self.assertIn("It is about Russia.", self.result())

    def test_pictures_sounds_and_links(self):
        self.try_tool("shop__media")
        self.call()
        self.result()
        self.page.wait_for("document.querySelector('.result img').naturalWidth === 96", "the picture")
        self.page.wait_for("document.querySelector('.result audio').duration > 0", "the sound")
        self.page.wait_text("No returns.", ".result")
        self.page.click(".result a", "Read")
        self.page.wait_text("shop://terms", ".detail-name")
        self.page.click("main button.primary", "Read")
        self.assertIn("About shop://terms", self.result())

    def test_an_error_of_the_tool(self):
        self.try_tool("shop__fail")
        self.call()
        self.assertIn("The tool reported an error", self.result())
        self.assertIn("out of stock", self.page.text(".result"))

    def test_its_trace_is_one_click_away(self):
        self.try_tool("shop__echo")
        self.call()
        self.result()
        self.page.click(".result a", "Its trace")
        self.page.wait_text("attempt", ".waterfall")

    def test_the_key_calls(self):
        self.try_tool("shop__echo")
        self.page.fill("main .field input", "by key")
        self.page.press("Enter", CONTROL)
        self.assertIn("by key", self.result())

    def test_the_same_call_for_other_programs(self):
        self.try_tool("shop__echo")
        self.page.fill("main .field input", "it's")
        for button, text in (
            ("curl", "Mcp-Name: shop__echo"),
            ("Command line", "patchbay call"),
            ("Python", "streamablehttp_client"),
            ("TypeScript", "StreamableHTTPClientTransport"),
        ):
            self.page.click("main .tabs button", button)
            self.page.wait_text(text, "main")


class Goals(BrowserCase):
    def test_a_goal_and_its_steps(self):
        self.show("playground")
        self.page.click("main button", "Goals")
        self.page.wait_text("CalculatorSkill", "main")
        self.page.fill("main form input", "calculate: 12 / 4")
        self.page.press("Enter")
        self.page.wait_text("Step 1", "main")
        self.page.wait_text("3.0", "main pre")
        self.page.wait_text("done", "main")
        self.install_axe()
        for size in ((1280, 860), (390, 844)):
            self.page.resize(*size)
            self.assert_accessible(size)
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0)

    def test_a_step_that_fails(self):
        self.show("playground?view=goals")
        self.page.fill("main form input", "calculate: 1 / 0")
        self.page.click("main form button", "Run")
        self.page.wait_text("failed", "main")

    def test_what_is_no_goal(self):
        self.show("playground?view=goals")
        self.page.fill("main form input", "<b>nothing</b> fits this")
        self.page.click("main form button", "Run")
        self.page.wait_text("No skill found", "main")


class PlaygroundOther(BrowserCase):
    def test_a_prompt_with_completion(self):
        self.show("playground?kind=prompt&id=shop__offer")
        self.page.fill(".field input", "Ann")
        city = ".field:nth-child(2) input"
        self.page.fill(city, "be")
        self.page.wait_for("document.querySelectorAll('.field:nth-child(2) datalist option').length === 2")
        self.page.fill(city, "bern")
        self.page.click("main button.primary", "Get")
        self.assertIn("Write an offer to Ann in bern.", self.result())

    def test_a_template_becomes_a_uri(self):
        self.show("playground?kind=template&id=shop%3A%2F%2Fcity%2F%7Bcity%7D")
        self.page.fill(".field input", "new york")
        self.page.wait_text("shop://city/new%20york", "main")
        self.page.click("main button.primary", "Read")
        self.assertIn("About shop://city/new", self.result())


if __name__ == "__main__":
    unittest.main()
