"""People at the page of the console: signing in and out, and what those without the role admin see."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from console_case import PAGES, TOO_WIDE, BrowserCase, call_tool, shop_config

ADMIN = "an-admin-for-tests-0123456789"
READER = "a-reader-for-tests-0123456789"
CALLERS = [
    {"name": "root", "token": ADMIN, "roles": ["admin"]},
    {"name": "ann", "token": READER, "roles": ["reader"]},
]
RULES = [
    {"role": "admin", "allow": ["*.*"], "prompts": ["*"], "resources": ["*"]},
    {"role": "reader", "allow": ["shop.*"], "approve": ["shop.echo"]},
]


class People(BrowserCase):
    config = shop_config(auth={"tokens": CALLERS}, rules=RULES, approvals={"elicit": False})

    def expected_faults(self):
        """Answers to requests with credentials that are wrong, or no longer valid."""
        return [fault for fault in self.page.faults if "status of 401" in fault]

    def sign_in(self, token, path=""):
        self.page.open(f"{self.origin}/console/{path}")
        self.page.fill("input[type=password]", token)
        self.page.click("button", "Sign in")

    def signed_in(self, token, path=""):
        self.sign_in(token, path)
        self.page.wait_for("document.querySelector('nav') !== null", "to be signed in")

    def test_a_wrong_token_is_refused_and_a_right_one_opens_the_page_that_was_asked_for(self):
        self.sign_in("not-a-token-at-all-0123456789", "upstreams")
        self.page.wait_text("These credentials were refused.")
        self.page.fill("input[type=password]", ADMIN)
        self.page.click("button", "Sign in")
        self.page.wait_text("shop", "table")
        self.assertNotIn(ADMIN, self.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})"))
        self.page.open(f"{self.origin}/console/")
        self.page.wait_text("Needs attention")

    def test_another_tab_signs_in_and_out(self):
        self.page.open(f"{self.origin}/console/")
        self.page.wait_for("document.querySelector('input[type=password]') !== null")
        other = (
            "fetch('/console/api/session', {method: 'POST', headers: {'X-Patchbay-CSRF': 'none',"
            f" Authorization: 'Bearer {ADMIN}'}}}}).then((answer) => answer.json()).then(({{csrf}}) => {{"
            " localStorage.setItem('patchbay.csrf', csrf);"
            " dispatchEvent(new StorageEvent('storage', {key: 'patchbay.csrf'})); })"
        )
        self.page.evaluate(other)
        self.page.wait_text("Needs attention")

    def test_why_a_sign_in_at_an_issuer_has_failed(self):
        self.page.open(f"{self.origin}/console/#sign_in_error=%3Cb%3Edenied%3C%2Fb%3E")
        self.page.wait_text("<b>denied</b>")
        self.assertEqual(self.page.evaluate("location.hash"), "")

    def test_the_sign_in_is_accessible_and_narrow(self):
        self.install_axe()
        for scheme, size in (("dark", (1280, 860)), ("light", (390, 844))):
            self.page.prefer(scheme)
            self.page.resize(*size)
            self.page.open(f"{self.origin}/console/")
            self.page.wait_text("Sign in")
            self.assert_accessible((scheme, size))
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0)

    def test_signing_out_ends_the_session(self):
        self.signed_in(ADMIN)
        self.page.click("button", "Sign out")
        self.page.wait_for("document.querySelector('input[type=password]') !== null")
        self.page.open(f"{self.origin}/console/calls")
        self.page.wait_for("document.querySelector('input[type=password]') !== null")

    def test_a_session_that_ends_elsewhere_leads_to_the_sign_in(self):
        self.signed_in(ADMIN)
        self.page.evaluate(
            "fetch('/console/api/session', {method: 'DELETE', headers: {"
            "'X-Patchbay-CSRF': localStorage.getItem('patchbay.csrf')}}).then(() => null)"
        )
        self.page.wait_for("document.querySelector('input[type=password]') !== null", "the sign-in")

    def test_every_page_works_without_the_role_admin(self):
        call_tool(self.gateway, "shop__fail", {}, ADMIN)
        self.signed_in(READER)
        for path in (*PAGES, "catalog?id=shop__order", "upstreams?name=shop"):
            self.show(path)
            self.page.wait_no_text("Loading…")
            self.assertEqual(self.page.faults, [], path)
        self.show()
        self.page.wait_text("You see what belongs to you.")

    def test_one_sees_ones_own_calls_and_tools_only(self):
        call_tool(self.gateway, "shop__fail", {}, ADMIN)
        call_tool(self.gateway, "shop__steps", {"steps": 1}, READER)
        self.signed_in(READER, "calls")
        self.page.wait_text("shop.steps", "table")
        self.assertNotIn("shop.fail", self.page.text("table"))
        self.show("catalog")
        self.page.wait_text("shop__order", ".entries")
        self.assertNotIn("skills__", self.page.text(".entries"))

    def test_a_caller_sees_its_waiting_call_and_an_admin_approves_it(self):
        self.signed_in(READER, "playground?id=shop__echo")
        self.page.fill("main .field input", "exactly this")
        self.page.click("main button.primary", "Call")
        self.page.wait_text("needs approval", ".result")
        self.show("approvals")
        self.page.wait_text('"text": "exactly this"', "main")
        self.page.wait_text("It waits for an admin.", "main")
        self.page.click("button", "Sign out")
        self.page.wait_for("document.querySelector('input[type=password]') !== null")
        self.signed_in(ADMIN, "approvals")
        self.page.wait_text("by ann", "main")
        self.page.click("main button", "Approve once")
        self.page.wait_text("Approved, not yet repeated", "main")
        self.assertIn("exactly this", str(call_tool(self.gateway, "shop__echo", {"text": "exactly this"}, READER)))

    def test_snippets_use_a_token_from_the_environment(self):
        self.signed_in(ADMIN, "connect")
        self.page.wait_text("Bearer ${PATCHBAY_TOKEN}", "main")
        self.page.wait_text("--auth", "main")
        self.assertNotIn(ADMIN, self.page.text())


if __name__ == "__main__":
    unittest.main()
