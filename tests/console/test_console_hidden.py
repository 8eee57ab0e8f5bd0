"""What clients are not offered, and why, on the page of the catalog, in a browser."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from console_case import TOO_WIDE, BrowserCase, upstream


class Hidden(BrowserCase):
    config = {
        "upstreams": {
            "shop": {**upstream(), "tools": {"deny": ["ech*"]}},
            "skills": {"kind": "builtin", "mock_skills": True},
        },
        "rules": [{"role": "any", "allow": ["*"]}, {"role": "guest", "allow": ["*"], "deny": ["skills.*"]}],
    }

    def test_a_denied_tool_is_listed_with_the_setting(self):
        self.show("catalog")
        self.page.wait_text("shop__order", ".entries")
        self.page.click("main a", "Hidden")
        self.page.wait_text("tools.deny of its upstream has the pattern 'ech*'", "table")
        self.assertIn("echo", self.page.text("table"))
        self.assertNotIn("order", self.page.text("table"))
        self.page.fill("main input[type=search]", "nothing like this")
        self.page.wait_text("Nothing hidden fits the filter.", "main")
        self.page.fill("main input[type=search]", "ECHO")
        self.page.wait_text("denied", "table")

    def test_a_reason_a_kind_and_a_role_select(self):
        self.show("catalog?view=hidden")
        self.page.wait_text("echo", "table")
        self.page.choose("select[name=reason]", "off")
        self.page.wait_text("Nothing hidden fits the filter.", "main")
        self.page.choose("select[name=reason]", "denied")
        self.page.wait_text("echo", "table")
        self.page.choose("select[name=kind]", "prompt")
        self.page.wait_text("Nothing hidden fits the filter.", "main")
        self.page.choose("select[name=kind]", "")
        self.page.choose("select[name=reason]", "")
        self.page.choose("select[name=role]", "guest")
        self.page.wait_text("the rules do not let the role 'guest' alone use it", "table")
        self.page.wait_text("calculate", "table")

    def test_it_is_accessible_and_narrow(self):
        self.install_axe()
        self.show("catalog?view=hidden")
        self.page.wait_text("echo", "table")
        for scheme, size in (("dark", (1280, 860)), ("light", (390, 844))):
            self.page.prefer(scheme)
            self.page.resize(*size)
            self.assert_accessible((scheme, size))
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0)


if __name__ == "__main__":
    unittest.main()
