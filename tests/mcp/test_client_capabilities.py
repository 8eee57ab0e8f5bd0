"""Session-based servers behind stateless clients: which client capabilities a server sees."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    RpcError,
    TestCase,
    fake,
    main,
    result_of,
    stateless_request,
    text_of,
)

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TOOL = "fake__ask_if_capable"
ANSWERS = {
    "roots/list": {"roots": []},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "hm"},
        "model": "m",
    },
}


class SessionAbilities(TestCase):
    def start(self, **settings):
        return self.enterContext(Gateway({"workers": 2, "upstreams": {"fake": fake(**settings)}}))

    def call(self, gateway, capabilities, tool=TOOL, **params):
        params = {"name": tool, "arguments": {}, **params}
        return stateless_request(gateway, "tools/call", params, 1, {CAPABILITIES: capabilities})

    def notified(self, gateway, capabilities):
        """The capabilities that the server saw, after all its questions have been answered."""
        answer, asked = self.call(gateway, capabilities), []
        while result_of(answer).get("resultType") == "input_required":
            questions = result_of(answer)["inputRequests"]
            asked += [question["method"] for question in questions.values()]
            answers = {key: ANSWERS[question["method"]] for key, question in questions.items()}
            state = result_of(answer)["requestState"]
            answer = self.call(gateway, capabilities, inputResponses=answers, requestState=state)
        return json.loads(text_of(answer)), asked

    def test_a_client_is_asked_only_what_it_can_answer(self):
        gateway = self.start()
        able = {"roots": {}, "sampling": {}}
        # The first call finds out; what was asked in its course may be asked again.
        self.assertEqual(self.notified(gateway, {}), ([], []))
        self.assertEqual(self.notified(gateway, {"roots": {}})[0], ["roots"])
        for _ in range(2):
            self.assertEqual(self.notified(gateway, {}), ([], []))
            self.assertEqual(self.notified(gateway, {"roots": {}}), (["roots"], ["roots/list"]))
            self.assertEqual(self.notified(gateway, able)[1], ["sampling/createMessage", "roots/list"])

    def test_a_refused_question_of_one_tool_affects_no_other(self):
        gateway = self.start()
        pid = json.loads(text_of(self.call(gateway, {}, "fake__whoami")))["pid"]
        self.assertEqual(self.notified(gateway, {}), ([], []))
        self.assertEqual(json.loads(text_of(self.call(gateway, {}, "fake__whoami")))["pid"], pid)

    def test_servers_without_refused_questions_have_one_session(self):
        gateway = self.start()
        for capabilities in ({}, {"roots": {}}, {"elicitation": {}, "sampling": {}}):
            answer = self.call(gateway, capabilities, "fake__whoami")
            self.assertEqual(json.loads(text_of(answer))["tag"], "")
        self.assertEqual(len(gateway.children()), 1)

    def test_each_set_of_capabilities_has_one_session(self):
        gateway = self.start()
        for _ in range(3):
            self.notified(gateway, {})
            self.notified(gateway, {"roots": {}})
        # The one that all began with, and one for each set.
        self.assertEqual(len(gateway.children()), 3)

    def test_a_shared_server_has_them_too(self):
        gateway = self.start(isolation="shared")
        self.assertEqual(self.notified(gateway, {}), ([], []))

    def test_a_session_based_client_shares_the_one_with_all_capabilities(self):
        gateway = self.start()
        self.assertEqual(self.notified(gateway, {}), ([], []))
        session = self.enterContext(McpSession(gateway))
        self.assertTrue(result_of(session.call(TOOL))["isError"])

    def test_a_call_of_which_something_has_come_is_not_made_twice(self):
        gateway = self.start()
        answer = self.call(gateway, {}, "fake__report_and_ask")
        self.assertIn("error", json.loads(text_of(answer)))
        self.assertEqual(len(gateway.children()), 1)

    def test_roots_that_a_server_asks_for_by_itself_end_no_call(self):
        """Over pipes a question does not name its call, and servers ask for roots at any time."""
        gateway = self.start()
        answer = self.call(gateway, {}, "fake__ask_and_answer", arguments={"text": "answered"})
        self.assertEqual(text_of(answer), "answered")
        self.assertEqual(len(gateway.children()), 1)

    def test_a_server_that_asks_without_the_capability(self):
        gateway = self.start()
        with self.assertRaises(RpcError) as caught:
            text_of(self.call(gateway, {}, "fake__ask_and_fail"))
        self.assertEqual(caught.exception.code, -32021)
        self.assertEqual(caught.exception.data["requiredCapabilities"], {"roots": {}})


if __name__ == "__main__":
    main()
