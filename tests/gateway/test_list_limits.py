"""Limits on what an upstream lists: a list that exceeds them is refused as a whole."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, main, text_of, wait_until
from openapi_case import PETSTORE, serve_document, upstream
from raw_service import RawService


def listing(lists=None, **env):
    return fake(env=env, **({"lists": lists} if lists else {}))


class ListLimits(TestCase):
    def start(self, **upstreams):
        good = fake(env={"FAKE_ONLY": "echo"})
        gateway = self.enterContext(Gateway({"upstreams": {"good": good, **upstreams}}))
        session = self.enterContext(McpSession(gateway))
        # This upstream is listed, whatever the others do.
        self.assertEqual(text_of(session.call("good__echo", text="hi")), "hi")
        return gateway, session

    def refusals(self, gateway, upstream):
        lines = [line for line in gateway.stderr.lines if "list refused" in line]
        return [line for line in lines if f"upstream={upstream}" in line or f'"{upstream}"' in line]

    def check_refused(self, setting, upstream):
        gateway, session = self.start(bad=upstream)
        wait_until(lambda: self.refusals(gateway, "bad"), "the list to be refused")
        self.assertEqual(session.tool_names(), ["good__echo"])
        lines = self.refusals(gateway, "bad")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(setting, lines[0])
        self.assertIn(setting, gateway.get("/ready").body.decode())

    def test_too_many_items(self):
        self.check_refused("lists.max_items", listing({"max_items": 5}, FAKE_MANY="6"))

    def test_too_many_items_over_many_pages(self):
        upstream = listing({"max_items": 5}, FAKE_MANY="6", FAKE_PAGE="2")
        self.check_refused("lists.max_items", upstream)

    def test_too_many_items_by_default(self):
        self.check_refused("lists.max_items", listing(FAKE_MANY="10001"))

    def test_a_definition_that_is_too_large(self):
        upstream = listing({"max_definition_size": "2KiB"}, FAKE_ONLY="echo", FAKE_FAT="3000")
        self.check_refused("lists.max_definition_size", upstream)

    def test_a_definition_that_is_too_large_by_default(self):
        upstream = listing(FAKE_ONLY="echo", FAKE_FAT=str((1 << 20) + 1))
        self.check_refused("lists.max_definition_size", upstream)

    def test_definitions_that_are_too_large_together(self):
        upstream = listing(FAKE_MANY="20", FAKE_FAT="1000000", FAKE_PAGE="5")
        self.check_refused("lists.max_total_size", upstream)

    def test_too_many_pages(self):
        self.check_refused("lists.max_pages", listing({"max_pages": 3}, FAKE_ENDLESS="new"))

    def test_a_cursor_that_comes_again(self):
        self.check_refused("a cursor comes again", listing(FAKE_ENDLESS="same"))

    def test_just_as_much_as_allowed(self):
        _, session = self.start(many=listing({"max_items": 5}, FAKE_MANY="5", FAKE_PAGE="2"))
        self.assertEqual(len(session.tool_names()), 6)

    def test_what_was_listed_before_stays(self):
        env = {"FAKE_ONLY": ""}
        gateway, session = self.start(grows=fake(env=env, lists={"max_items": self.count_of_tools()}))
        before = session.tool_names()
        for number in range(3):
            text_of(session.call("grows__list_changed", name=f"newcomer{number}"))
        wait_until(lambda: self.refusals(gateway, "grows"), "the list to be refused")
        self.assertEqual(session.tool_names(), before)
        self.assertEqual(text_of(session.call("grows__echo", text="hi")), "hi")
        self.assertEqual(len(self.refusals(gateway, "grows")), 1)

    def count_of_tools(self):
        with Gateway({"upstreams": {"all": fake()}}) as gateway:
            with McpSession(gateway) as session:
                return len(session.tool_names())

    def test_operations_of_a_document_count_too(self):
        service = self.enterContext(RawService())
        serve_document(service, PETSTORE)
        self.check_refused("lists.max_items", upstream(service, lists={"max_items": 1}))

    def test_a_reload_that_allows_more_lists_again(self):
        gateway, session = self.start(bad=listing({"max_items": 5}, FAKE_MANY="6"))
        wait_until(lambda: self.refusals(gateway, "bad"), "the list to be refused")
        good = fake(env={"FAKE_ONLY": "echo"})
        more = listing({"max_items": 6}, FAKE_MANY="6")
        gateway.write_config({"upstreams": {"good": good, "bad": more}})
        wait_until(lambda: len(session.tool_names()) == 7, "all tools")


if __name__ == "__main__":
    main()
