"""Tokens of callers on the page that connects clients, in a browser."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from console_case import TOO_WIDE, BrowserCase, shop_config
from test_console_people import ADMIN, CALLERS, READER, RULES

MADE = ".made-token pre"


class Tokens(BrowserCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.file = pathlib.Path(cls.folder, "tokens")
        auth = {"tokens": CALLERS, "token_file": str(cls.file)}
        cls.config = shop_config(auth=auth, rules=RULES)
        super().setUpClass()

    def expected_faults(self):
        return [fault for fault in self.page.faults if "status of 401" in fault]

    def open(self, token):
        self.page.open(f"{self.origin}/console/connect")
        self.page.fill("input[type=password]", token)
        self.page.click("button", "Sign in")
        self.page.wait_text("Address of this gateway", "main")

    def status(self, token):
        return self.gateway.get("/control/v1/status", bearer(token)).status

    def make(self, name):
        self.page.wait_for("document.querySelector('.token-form') !== null", "the form")
        self.page.fill(".token-form input[type=text]", name)
        self.page.click(".token-form button", "Make a token")
        self.page.wait_text(f"The token of {name}", ".made-token")
        return self.page.text(MADE).strip()

    def test_a_token_is_made_shown_once_used_and_revoked(self):
        self.open(ADMIN)
        self.page.wait_text("Bearer ${PATCHBAY_TOKEN}", "main")
        token = self.make("eve")
        self.assertRegex(token, r"^pb_[0-9a-f]+_[0-9a-f]{64}$")
        self.assertEqual(self.status(token), 200)
        self.page.wait_text(f"Bearer {token}", ".connectors")
        self.page.wait_text(f'-H "Authorization: Bearer {token}"', ".halves")
        self.page.wait_text("eve", "table")
        self.assertNotIn(token, self.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})"))
        self.page.click(".made-token button", "I have copied it")
        self.page.wait_no_text(token)
        self.page.wait_text("Bearer ${PATCHBAY_TOKEN}", ".connectors")
        self.show("connect")
        self.page.wait_text("eve", "table")
        self.assertNotIn(token.rpartition("_")[2], self.page.evaluate("document.documentElement.outerHTML"))
        self.page.click("table button", "Revoke")
        self.page.wait_text("Revoke this token of eve?", "dialog")
        self.page.click("dialog button", "Revoke")
        self.page.wait_text("None yet.", "main")
        self.assertEqual(self.status(token), 401)

    def test_a_role_of_ones_own_can_be_given(self):
        self.open(ADMIN)
        self.page.wait_for("document.querySelector('.token-form input[type=checkbox]') !== null", "the roles")
        self.assertEqual(self.page.text(".token-form fieldset").split(), ["Roles", "admin"])
        self.page.click(".token-form input[type=checkbox]")
        token = self.make("second")
        self.assertTrue(self.gateway.get("/control/v1/status", bearer(token)).json()["admin"])
        self.page.click("table button", "Revoke")
        self.page.click("dialog button", "Revoke")
        self.page.wait_text("None yet.", "main")

    def test_others_see_the_line_for_the_terminal_only(self):
        self.open(READER)
        self.page.wait_text("patchbay token create", "main")
        self.assertFalse(self.page.evaluate("document.querySelector('.token-form') !== null"))

    def test_it_is_accessible_and_narrow(self):
        self.install_axe()
        self.open(ADMIN)
        self.make("narrow")
        for scheme, size in (("dark", (1280, 860)), ("light", (390, 844))):
            self.page.prefer(scheme)
            self.page.resize(*size)
            self.assert_accessible((scheme, size))
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0)
        self.page.click("table button", "Revoke")
        self.page.click("dialog button", "Revoke")
        self.page.wait_text("None yet.", "main")


class NoToken(BrowserCase):
    def test_without_authentication_the_page_says_so(self):
        self.show("connect")
        self.page.wait_text("requires no credentials", "main")
        self.assertFalse(self.page.evaluate("document.querySelector('.token-form') !== null"))


if __name__ == "__main__":
    unittest.main()
