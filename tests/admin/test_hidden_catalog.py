"""What clients are not offered, and why, as admins see it."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from control_case import ADMIN, ANN, RULES, TOKENS, ControlCase, page
from harness import Gateway, fake, fake_config, main, wait_until
from items_upstream import items
from openapi_case import PETSTORE, serve_document
from openapi_case import upstream as openapi_upstream
from raw_service import RawService

try:
    import jsonschema
except ImportError:
    jsonschema = None

PATH = "catalog/hidden"

# A stateless server over stdio that lists the tools in its argument.
LISTING_SERVER = """
import json, sys
tools = json.loads(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "server/discover":
        info = {"name": "listing", "version": "1"}
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": info}
    else:
        result = {"tools": tools}
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"resultType": "complete", **result}}
    print(json.dumps(answer), flush=True)
"""


def listing(tools):
    return {"kind": "stdio", "command": sys.executable, "args": ["-c", LISTING_SERVER, json.dumps(tools)]}


def tool(name, **properties):
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


class Hidden(ControlCase):
    def start(self, upstreams, **more):
        settings = {"auth": {"tokens": TOKENS}, "rules": RULES}
        return self.enterContext(Gateway(fake_config(upstreams, **{**settings, **more})))

    def post(self, gateway, path):
        with gateway.connect() as connection:
            return connection.request("POST", f"/control/v1/{path}", bearer(ADMIN), b"").status

    def items(self, gateway, query=""):
        return self.ask(gateway, f"{PATH}?limit=500&{query}", ADMIN)["items"]

    def reasons(self, gateway, query=""):
        return {
            (one["upstream"], one["kind"], one["name"]): (one["reason"], one["why"])
            for one in self.items(gateway, query)
        }

    def faults_of(self, gateway):
        """Where an answer differs from the OpenAPI document."""
        if not jsonschema:
            return []
        document = self.ask(gateway, "openapi.json", ADMIN)
        schema = {"$ref": "#/components/schemas/HiddenItems", "components": document["components"]}
        answer = self.ask(gateway, f"{PATH}?limit=2", ADMIN)
        return [fault.message for fault in jsonschema.Draft202012Validator(schema).iter_errors(answer)]

    def settled(self, gateway, keys, query=""):
        """The reasons once exactly those items are hidden."""
        wait_until(lambda: self.reasons(gateway, query).keys() == keys, f"{keys}")
        return self.reasons(gateway, query)

    def test_patterns_of_an_upstream_are_named(self):
        tools = {"allow": ["e*", "whoami"], "deny": ["ech*"]}
        gateway = self.start({"fake": fake(tools=tools), "other": fake()})
        gateway.wait_ready()
        found = self.reasons(gateway)
        self.assertEqual(
            found["fake", "tool", "echo"], ("denied", "tools.deny of its upstream has the pattern 'ech*'")
        )
        self.assertEqual(
            found["fake", "tool", "until"], ("not_allowed", "tools.allow of its upstream has no pattern for it")
        )
        self.assertNotIn(("fake", "tool", "whoami"), found)
        self.assertEqual({key[0] for key in found}, {"fake"})
        denied = {key for key in found if found[key][0] == "denied"}
        self.assertEqual(self.reasons(gateway, "reason=denied").keys(), denied)
        self.assertEqual(self.reasons(gateway, "search=UNTIL").keys(), {("fake", "tool", "until")})
        self.assertEqual(self.reasons(gateway, "search=DENY%20of").keys(), denied)
        self.assertEqual(self.reasons(gateway, "kind=prompt"), {})
        self.assertEqual(self.reasons(gateway, "upstream=other"), {})
        answer = self.ask(gateway, PATH, ADMIN)
        self.assertEqual(answer["upstreams"], ["fake", "other"])
        self.assertEqual(answer["roles"], ["admin", "guest", "reader"])

    def test_what_admins_have_switched_off(self):
        gateway = self.start({"fake": fake(), "other": fake(), "third": fake()})
        gateway.wait_ready()
        self.assertEqual(self.items(gateway), [])
        self.assertEqual(self.post(gateway, "tools/fake/echo/off"), 200)
        self.assertEqual(self.post(gateway, "upstreams/other/drain"), 202)
        self.assertEqual(self.post(gateway, "upstreams/third/disable"), 202)
        third = self.settled(gateway, {("third", None, None)}, "upstream=third")
        self.assertEqual(third["third", None, None][0], "upstream")
        self.assertIn("disabled by an admin", third["third", None, None][1])
        found = self.reasons(gateway)
        self.assertEqual(found["fake", "tool", "echo"][0], "off")
        self.assertIn("switched off by an admin", found["fake", "tool", "echo"][1])
        self.assertEqual(found["other", None, None][0], "drained")
        self.assertEqual(found["other", "tool", "echo"][0], "drained")

    def test_an_upstream_that_is_down_and_one_that_lists_too_much(self):
        upstreams = {
            "fake": fake(lists={"max_items": 1}),
            "gone": {"kind": "stdio", "command": "/nonexistent"},
        }
        gateway = self.start(upstreams)
        found = self.settled(gateway, {("fake", None, None), ("gone", None, None)})
        self.assertEqual({reason for reason, _ in found.values()}, {"upstream"})
        self.assertIn("it is down", found["gone", None, None][1])
        self.assertIn("/nonexistent", found["gone", None, None][1])
        self.assertIn("lists.max_items, which is 1", found["fake", None, None][1])

    def test_what_the_rules_hide(self):
        rules = [*RULES[1:], {"role": "admin", "allow": ["other.*"], "deny": ["*.whoami"]}]
        rules[0] = {"role": "reader", "allow": ["fake.echo"]}
        gateway = self.start({"fake": fake(), "other": fake()}, rules=rules)
        gateway.wait_ready()
        everybody = self.reasons(gateway, "kind=tool")
        self.assertEqual({key[0] for key in everybody}, {"fake"})
        self.assertNotIn(("fake", "tool", "echo"), everybody)
        self.assertEqual(everybody["fake", "tool", "whoami"], ("rules", "the rules let no role use it (rules)"))
        admin = self.reasons(gateway, "role=admin&search=whoami&kind=tool")
        self.assertEqual(admin.keys(), {("fake", "tool", "whoami"), ("other", "tool", "whoami")})
        self.assertIn("'admin'", admin["other", "tool", "whoami"][1])
        reader = self.reasons(gateway, "role=reader&upstream=fake&kind=tool")
        self.assertNotIn(("fake", "tool", "echo"), reader)
        nobody = self.reasons(gateway, "role=unknown&kind=tool")
        self.assertEqual({key[0] for key in nobody}, {"fake", "other"})

    def test_prompts_and_resources_that_the_rules_hide(self):
        allows = {"allow": ["*"], "prompts": ["*"], "resources": {"allow": ["*"], "deny": ["*"]}}
        gateway = self.start({"things": items()}, rules=[{"role": "admin", **allows}])
        gateway.wait_ready()
        kinds = {key[1] for key in self.reasons(gateway)}
        self.assertEqual(kinds, {"resource", "template"})

    def test_a_renamed_tool_is_known_to_the_rules_by_its_new_name(self):
        upstreams = {"fake": fake(tools={"allow": ["echo"], "rename": {"echo": "say"}})}
        gateway = self.start(upstreams, rules=[{"role": "admin", "allow": ["fake.say"]}])
        gateway.wait_ready()
        self.assertNotIn(("fake", "tool", "echo"), self.reasons(gateway))

    def test_a_name_that_belongs_to_another_upstream(self):
        gateway = self.start({"a": fake(tools={"allow": ["echo"], "rename": {"echo": "_say"}}), "a_": fake()})
        gateway.wait_ready()
        found = self.reasons(gateway, "upstream=a&reason=name")
        self.assertEqual(found.keys(), {("a", "tool", "echo")})
        self.assertIn("tools.rename", found["a", "tool", "echo"][1])
        self.assertEqual(self.reasons(gateway, "upstream=a_&kind=tool"), {})

    def test_definitions_that_cannot_be_used(self):
        mirrored = {"type": "string", "x-mcp-header": "a b"}
        tools = [tool("good"), {"title": "x"}, tool("bad", region=mirrored), tool("good"), tool("")]
        gateway = self.start({"up": listing(tools)})
        gateway.wait_ready()
        found = [(one["name"], one["reason"]) for one in self.items(gateway)]
        self.assertEqual(
            found, [("good", "name"), (None, "left_out"), ("bad", "left_out"), (None, "left_out")]
        )
        whys = [one["why"] for one in self.items(gateway, "reason=left_out")]
        self.assertIn("no 'name'", whys[0])
        self.assertIn("inputSchema", whys[1])

    def test_operations_that_the_settings_do_not_select(self):
        service = self.enterContext(RawService())
        serve_document(service, PETSTORE)
        selects = {"deprecated": False, "methods": ["get", "post", "put"], "operations": ["*Pet*", "photo"]}
        pets = openapi_upstream(service, select=selects, limits={"max_operations": 2})
        gateway = self.start({"pets": pets})
        gateway.wait_ready()
        found = {one["name"]: one["why"] for one in self.items(gateway)}
        self.assertEqual(
            found,
            {
                "GET /pets/{petId}": "limits.max_operations of its upstream is reached",
                "PUT /pets/{petId}": "select.deprecated of its upstream does not select it",
                "DELETE /pets/{petId}": "select.methods of its upstream does not select it",
                "GET /pets/{petId}/photo": "limits.max_operations of its upstream is reached",
                "POST /pets/{petId}/photo": "select.operations of its upstream does not select it",
            },
        )
        self.assertEqual({one["reason"] for one in self.items(gateway)}, {"left_out"})

    def test_skills_that_are_in_no_list(self):
        gateway = self.start({"skills": {"kind": "builtin"}})
        gateway.wait_ready()
        found = self.reasons(gateway)
        self.assertEqual({name for _, _, name in found}, {"mock_search", "weather"})
        self.assertEqual({reason for reason, _ in found.values()}, {"unlisted"})
        self.assertIn("mock_skills", found["skills", "tool", "weather"][1])

    def test_it_is_in_pages(self):
        gateway = self.start({"fake": fake(tools={"allow": ["echo"]})})
        gateway.wait_ready()
        whole = self.items(gateway)
        self.assertGreater(len(whole), 3)
        paged, query, pages = [], "", 0
        while True:
            one = self.ask(gateway, f"{PATH}?limit=2{query}", ADMIN)
            paged += one["items"]
            pages += 1
            if "next" not in one:
                break
            query = f"&cursor={one['next']}"
        self.assertEqual(paged, whole)
        self.assertEqual(self.faults_of(gateway), [])
        self.assertEqual(pages, (len(whole) + 1) // 2)
        self.assertEqual(self.post(gateway, "tools/fake/echo/off"), 200)
        stale = page(gateway, f"{PATH}?limit=2{query}", ADMIN)
        self.assertEqual(stale.status, 400)
        self.assertIn("begin again", stale.json()["error"])

    def test_only_admins_see_it_and_wrong_parameters_are_refused(self):
        gateway = self.start({"fake": fake()})
        self.assertEqual(page(gateway, PATH, ANN).status, 403)
        wrong = (
            ("kind=x", "kind"),
            ("reason=x", "reason"),
            ("color=x", "'color'"),
            ("limit=501", "limit"),
            ("cursor=x", "cursor"),
            ("cursor=1-2", "cursor"),
            ("cursor=1-2-3-4", "cursor"),
        )
        for query, text in wrong:
            response = page(gateway, f"{PATH}?{query}", ADMIN)
            self.assertEqual(response.status, 400, query)
            self.assertIn(text, response.json()["error"])


if __name__ == "__main__":
    main()
