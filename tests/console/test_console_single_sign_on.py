"""Single sign-on in a real browser: the issuer is another site, and asks the person for a password."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from console_case import BrowserCase, shop_config
from oidc_issuer import OidcIssuer, oidc_settings

LOGIN = b"""<!doctype html><html lang="en"><head><title>Issuer</title></head><body><h1>Who are you?</h1>
<form method="post"><label>Password <input name="password" type="password"></label><button>Go on</button></form>
</body></html>"""


class IssuerWithPage(OidcIssuer):
    """At another host name than the gateway, so that it is another site for browsers."""

    def __init__(self):
        super().__init__()
        self.refuses = False
        self.on["/authorize"] = self.ask

    @property
    def root(self):
        return f"http://localhost:{self.port}"

    def ask(self, exchange):
        if exchange.command == "GET":
            return exchange.answer(200, LOGIN, Content_Type="text/html")
        if self.refuses:
            query = exchange.query
            back = f"{query['redirect_uri']}?error=access_denied&state={query['state']}&iss={self.issuer}"
            return exchange.answer(302, Location=back)
        return self.authorize(exchange)


class SingleSignOn(BrowserCase):
    @classmethod
    def setUpClass(cls):
        cls.issuer = cls.enterClassContext(IssuerWithPage())
        cls.config = shop_config(**oidc_settings(cls.issuer))
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.issuer.refuses = False

    def tearDown(self):
        # The issuer is where the person was sent, on purpose.
        self.page.requests[:] = [url for url in self.page.requests if not url.startswith(self.issuer.root)]
        super().tearDown()

    def expected_faults(self):
        # Browsers ask every site for its icon, which the issuer does not have.
        return [fault for fault in self.page.faults if f"{self.issuer.root}/favicon" in fault]

    def go_to_issuer(self, path):
        self.page.open(f"{self.origin}/console/{path}")
        self.page.click("a", "Continue to the sign-in page")
        self.page.wait_text("Who are you?", "h1")
        self.assertTrue(self.page.evaluate("location.origin").startswith(self.issuer.root))

    def test_a_person_signs_in_and_out(self):
        self.go_to_issuer("calls")
        self.page.fill("input[type=password]", "secret")
        self.page.click("button", "Go on")
        self.page.wait_text("ann", ".side-foot")
        self.page.wait_text("admin", ".side-foot")
        self.assertEqual(self.page.evaluate("location.origin"), self.origin)
        self.assertEqual(self.page.evaluate("location.hash"), "")
        self.assertNotIn("csrf", self.page.evaluate("location.href"))
        self.assertEqual(self.page.evaluate("document.cookie"), "")
        # What the page reads, and a fresh load of it, belong to the session.
        self.page.open(f"{self.origin}/console/catalog")
        self.page.wait_text("shop__order", ".entries")
        self.page.click("button", "Sign out")
        self.page.wait_text("Sign in", "h1, main")
        self.page.open(f"{self.origin}/console/catalog")
        self.page.wait_for("document.querySelector('.side') === null")

    def test_a_refusal_is_explained(self):
        self.issuer.refuses = True
        self.go_to_issuer("")
        self.page.click("button", "Go on")
        self.page.wait_for("document.querySelector('[role=alert]') !== null", "the reason")
        self.assertEqual(self.page.evaluate("location.hash"), "")


if __name__ == "__main__":
    unittest.main()
