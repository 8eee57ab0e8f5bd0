"""Prompts, resources, templates and completion: one catalog over several servers, session-based
and stateless."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, main, result_of, stateless_request
from items_upstream import items


class ItemsCase(TestCase):
    """One server of items, and one that has the same names."""

    upstreams = {"one": items("one"), "two": items("two")}
    settings = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway({"upstreams": cls.upstreams, **cls.settings}))
        cls.session = cls.enterClassContext(McpSession(cls.gateway))

    def ask(self, method, params=None):
        return result_of(self.session.request(method, params))

    def refused(self, method, params):
        return self.session.request(method, params)["error"]


class Lists(ItemsCase):
    def test_all_pages_of_all_servers_are_one_list(self):
        prompts = [prompt["name"] for prompt in self.ask("prompts/list")["prompts"]]
        self.assertEqual(
            prompts, [f"{up}__{name}" for up in ("one", "two") for name in ("greet", "scold", "thank")]
        )
        templates = self.ask("resources/templates/list")["resourceTemplates"]
        self.assertEqual(
            [template["uriTemplate"] for template in templates],
            ["test://item/{id}", "two+test://item/{id}"],
        )

    def test_the_same_uri_of_two_servers_is_distinguished(self):
        uris = [resource["uri"] for resource in self.ask("resources/list")["resources"]]
        own = ["test://a", "test://b", "test://c"]
        self.assertEqual(uris, [*own, "one://own", *(f"two+{uri}" for uri in own), "two://own"])

    def test_the_rest_of_a_definition_is_preserved(self):
        prompt = self.ask("prompts/list")["prompts"][0]
        self.assertEqual(prompt["title"], "Greet")
        self.assertEqual(prompt["arguments"], [{"name": "who", "required": False}])

    def test_a_foreign_cursor_is_refused(self):
        for cursor in ("2", "2-0000000000000000", "", "x", 5):
            answer = self.session.request("prompts/list", {"cursor": cursor})
            if cursor == "":
                self.assertIn("result", answer)
            else:
                self.assertEqual(answer["error"]["code"], -32602, cursor)


class Pages(ItemsCase):
    settings = {"limits": {"page_size": 3}}

    def test_our_own_cursors_walk_over_the_merged_list(self):
        seen, params = [], None
        for _ in range(10):
            page = self.ask("resources/list", params)
            self.assertLessEqual(len(page["resources"]), 3)
            seen += [resource["uri"] for resource in page["resources"]]
            if "nextCursor" not in page:
                break
            params = {"cursor": page["nextCursor"]}
        self.assertEqual(len(seen), 8)
        self.assertEqual(len(set(seen)), 8)


class Use(ItemsCase):
    def test_prompts_by_every_spelling(self):
        for name in ("two__greet", "two.greet", "two_greet"):
            result = self.ask("prompts/get", {"name": name, "arguments": {"who": "Ada"}})
            self.assertEqual(result["messages"][0]["content"]["text"], "two greet Ada")
        self.assertEqual(self.refused("prompts/get", {"name": "greet"})["code"], -32602)
        self.assertEqual(self.refused("prompts/get", {"name": "one__nope"})["code"], -32602)

    def test_resources_reach_their_owner(self):
        for uri, text in (
            ("test://a", "one has test://a"),
            ("two+test://a", "two has test://a"),
            ("two://own", "two has two://own"),
            ("test://item/7", "one has test://item/7"),
            ("two+test://item/7", "two has test://item/7"),
        ):
            with self.subTest(uri=uri):
                result = self.ask("resources/read", {"uri": uri})
                self.assertEqual(result["contents"][0]["text"], text)
                self.assertEqual(result["contents"][0]["uri"], uri, "can be read again")

    def test_an_unknown_resource_has_the_error_of_the_revision(self):
        for uri in ("nope://x", "one://own/more"):
            error = self.refused("resources/read", {"uri": uri})
            self.assertEqual((error["code"], error["data"]["uri"]), (-32002, uri))
            stateless = stateless_request(self.gateway, "resources/read", {"uri": uri})["error"]
            self.assertEqual((stateless["code"], stateless["data"]["uri"]), (-32602, uri))

    def test_completion_goes_where_the_reference_points(self):
        argument = {"name": "who", "value": "A"}
        for reference, named in (
            ({"type": "ref/prompt", "name": "two__greet"}, "greet"),
            ({"type": "ref/resource", "uri": "test://item/{id}"}, "test://item/{id}"),
            ({"type": "ref/resource", "uri": "two+test://item/{id}"}, "test://item/{id}"),
        ):
            result = self.ask("completion/complete", {"ref": reference, "argument": argument})
            self.assertEqual(result["completion"]["values"], [f"{named}:who:A1", f"{named}:who:A2"])
        for reference in ({"type": "ref/prompt"}, {"type": "x", "name": "one__greet"}, "one__greet"):
            error = self.refused("completion/complete", {"ref": reference, "argument": argument})
            self.assertEqual(error["code"], -32602)

    def test_stateless_results_have_their_shape(self):
        listed = result_of(stateless_request(self.gateway, "prompts/list"))
        read = result_of(stateless_request(self.gateway, "resources/read", {"uri": "test://b"}))
        got = result_of(stateless_request(self.gateway, "prompts/get", {"name": "one__greet"}))
        for result in (listed, read, got):
            self.assertEqual(result["resultType"], "complete")
        for result in (listed, read):
            self.assertEqual((result["ttlMs"], result["cacheScope"]), (0, "private"))
        self.assertNotIn("ttlMs", got)


class Changes(ItemsCase):
    def test_each_kind_of_change_is_notified(self):
        stream = self.session.open_stream()
        self.session.call("one__grow")
        notified = set()
        for event in stream.events():
            notified.add(json.loads(event.data)["method"])
            if len(notified) == 2:
                break
        stream.connection.close()
        self.assertEqual(
            notified, {"notifications/prompts/list_changed", "notifications/resources/list_changed"}
        )
        self.assertIn("one__new", [item["name"] for item in self.ask("prompts/list")["prompts"]])


class Partial(ItemsCase):
    upstreams = {"one": items("one", ITEMS_ONLY="resources"), "two": items("two", ITEMS_ONLY="tools")}

    def test_what_a_server_does_not_declare_is_not_asked_for(self):
        self.assertEqual(self.ask("prompts/list")["prompts"], [])
        self.assertEqual([tool["name"] for tool in self.ask("tools/list")["tools"]], [f"two__{name}" for name in ("grow", "ask", "pester", "log", "wait", "touch", "die")])
        self.assertEqual(len(self.ask("resources/list")["resources"]), 4)


if __name__ == "__main__":
    main()
