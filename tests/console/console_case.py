"""Shared by the tests of the console: one gateway and one browser for the tests of a class."""

import pathlib
import sys

import chromium
from chromium_page import ChromiumPage
from harness import Gateway, McpSession, TestCase
from npm_peers import PEERS, LeftOut, npm_ci

SERVER = str(pathlib.Path(__file__).with_name("tools_server.py"))
AXE = PEERS / "axe"
PAGES = ("", "calls", "catalog", "playground", "approvals", "upstreams", "sandboxes", "bus", "clients", "configuration",
         "connect", "setup")

LARGE = 12345678901234567890  # More than a number of JavaScript can have.

# How much wider than the window the document is.
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

RUN_AXE = """
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((found) =>
  found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3)}`))
"""


def upstream(*args):
    return {"kind": "stdio", "command": sys.executable, "args": [SERVER, *args]}


def shop_config(**more):
    return {"upstreams": {"shop": upstream(), "skills": {"kind": "builtin"}}, **more}


class BrowserCase(TestCase):
    """`config` is the configuration of the gateway; each test begins on an empty page."""

    config = shop_config()
    size = (1280, 860)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not chromium.program():
            print("the console in a browser was left out: there is no chromium", flush=True)
            cls.skipTest(cls, "there is no chromium")
        cls.gateway = cls.enterClassContext(Gateway(cls.config))
        if b"assets/" not in cls.gateway.get("/console/").body:
            print("the console in a browser was left out: it is not in this build", flush=True)
            cls.skipTest(cls, "no console in this build")
        cls.origin = f"http://127.0.0.1:{cls.gateway.port}"
        cls.page = cls.enterClassContext(ChromiumPage(cls.size))

    def setUp(self):
        self.page.resize(*self.size)
        self.page.command("Network.clearBrowserCookies")
        self.page.open(f"{self.origin}/console/")
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.open("about:blank")
        self.page.faults.clear()
        self.page.requests.clear()

    def tearDown(self):
        if self.page.evaluate("location.protocol") != "about:":
            self.assertEqual(self.page.policy_violations(), [])
            self.assertIsNone(self.page.evaluate("window.evil ?? null"))
        self.assertEqual(self.page.faults, self.expected_faults())
        self.assertEqual(self.page.foreign_requests(self.origin), [])

    def expected_faults(self):
        """What the browser itself writes about an answer that a test provokes."""
        return []

    def show(self, path=""):
        """Opens a page and waits until it is there."""
        self.page.open(f"{self.origin}/console/{path}")
        self.page.wait_for("document.querySelector('main h1') !== null")

    def try_tool(self, name, **query):
        more = "".join(f"&{key}={value}" for key, value in query.items())
        self.show(f"playground?id={name}{more}")
        self.page.wait_text(name, ".detail-name")

    def call(self):
        self.page.click("main button.primary", "Call")

    def result(self):
        """The text of the result once there is one."""
        self.page.wait_for("document.querySelector('.result .badge') !== null", "the result")
        return self.page.text(".result")

    def assert_usable_wide_and_narrow(self):
        """The page as it is now fits and violates no rule of accessibility, at both sizes."""
        self.install_axe()
        for size in ((1280, 860), (390, 844)):
            self.page.resize(*size)
            self.assert_accessible(size)
            self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0, size)
        self.page.resize(*self.size)

    def assert_accessible(self, what):
        axe = AXE / "node_modules" / "axe-core" / "axe.min.js"
        if not self.page.evaluate("typeof axe !== 'undefined'"):
            self.page.command("Runtime.evaluate", expression=axe.read_text(encoding="utf-8"))
        self.assertEqual(self.page.evaluate(RUN_AXE), [], what)

    def install_axe(self):
        try:
            npm_ci(AXE)
        except LeftOut as reason:
            print(f"the rules of accessibility were left out: {reason}", flush=True)
            self.skipTest(str(reason))


def call_tool(gateway, name, arguments, token=None):
    """One call by a client of its own: its result."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with McpSession(gateway, headers=headers) as session:
        return session.request("tools/call", {"name": name, "arguments": arguments})
