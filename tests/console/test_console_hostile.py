"""Names, descriptions and results of a hostile upstream are text: nothing runs, nothing breaks."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from console_case import TOO_WIDE, BrowserCase, upstream

SCRIPT = "<script>window.evil=1</script>"


class Hostile(BrowserCase):
    config = {"upstreams": {"bad": upstream("hostile")}}

    def assert_harmless(self):
        self.assertIsNone(self.page.evaluate("window.evil ?? null"))
        self.assertEqual(self.page.evaluate("document.querySelectorAll('#app script, #app iframe').length"), 0)
        self.assertLessEqual(self.page.evaluate(TOO_WIDE), 0)

    def test_two_thousand_tools_are_a_list_of_which_few_are_in_the_document(self):
        for size in ((1280, 860), (390, 844)):
            self.page.resize(*size)
            self.show("catalog")
            self.page.wait_text("2002 ·", ".entries")
            self.assertLess(self.page.evaluate("document.querySelectorAll('.entry').length"), 100)
            self.page.wait_text(SCRIPT, ".entries")
            self.assert_harmless()

    def test_descriptions_are_text(self):
        for page in ("catalog", "playground"):
            for size in ((1280, 860), (390, 844)):
                self.page.resize(*size)
                self.show(f"{page}?id=bad__tool_0007")
                self.page.wait_text(SCRIPT, "main")
                self.page.wait_text("**bold** [link](javascript:", "main")
                self.assert_harmless()

    def test_a_megabyte_of_description_and_of_result(self):
        self.show("catalog?id=bad__huge")
        self.page.wait_text("Show all", ".detail")
        self.assert_harmless()
        self.try_tool("bad__huge")
        self.page.click("main button.primary", "Call")
        self.page.wait_text("<b>xxxx", ".result")
        self.assertLess(len(self.page.text(".result")), 100_000)
        self.page.click(".result button", "Show all")
        self.page.wait_for("document.querySelector('.result pre').textContent.length > 1000000")
        self.assert_harmless()

    def test_content_of_the_wrong_type_and_links_to_scripts(self):
        self.try_tool("bad__odd")
        self.page.click("main button.primary", "Call")
        self.page.wait_text("text/html", ".result")
        self.assertEqual(self.page.evaluate("document.querySelectorAll('.result img').length"), 0)
        links = self.page.evaluate("[...document.querySelectorAll('.result a')].map((a) => new URL(a.href).protocol)")
        self.assertEqual(set(links), {"http:", "blob:"})
        self.assert_harmless()

    def test_search_finds_them_as_text(self):
        self.show()
        self.page.click(".search-button")
        self.page.wait_for("document.activeElement?.getAttribute('role') === 'combobox'")
        self.page.command("Input.insertText", text="tool_0042")
        self.page.wait_text("bad__tool_0042", "dialog")
        self.page.wait_text(SCRIPT, "dialog")
        self.assert_harmless()

    def test_a_hostile_address_is_text(self):
        self.page.open(f"{self.origin}/console/calls?tool=%3Cscript%3Ewindow.evil%3D1%3C%2Fscript%3E")
        self.page.wait_text("No call matches", "main")
        self.page.open(f"{self.origin}/console/upstreams?name=%3Cimg%20src%3Dx%20onerror%3Dwindow.evil%3D1%3E")
        self.page.wait_text("There is no such upstream", "main")
        self.assert_harmless()

    def expected_faults(self):
        return [fault for fault in self.page.faults if "/control/v1/upstreams/%3Cimg" in fault]


if __name__ == "__main__":
    unittest.main()
