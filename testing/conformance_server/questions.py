"""What the server asks of the client in the course of a call, and the three forms of a question.

Tools ask without knowing how: `await call.ask(name=elicit(...))`. Up to 2025-11-25 a question is a
request pushed to the client; in 2026-07-28 the call ends with the questions and is made again with
the answers, so a tool runs from its beginning each round; in a task the questions wait to be
fetched.
"""

import asyncio

from errors import BAD_PARAMS, InputRequired, Refusal, ToolFailed


def elicit(message, required=None, **properties):
    wanted = list(properties) if required is None else required
    schema = {"type": "object", "properties": properties, "required": wanted}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(prompt, tokens=100):
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


def list_roots():
    return {"method": "roots/list", "params": {}}


def accepted(answer, name):
    """A member of the form that the user filled in."""
    if answer["action"] != "accept":
        raise ToolFailed(f"The user chose to {answer['action']}")
    return answer.get("content", {}).get(name)


SHAPES = {
    "elicitation/create": lambda answer: answer.get("action") in ("accept", "decline", "cancel"),
    "sampling/createMessage": lambda answer: {"role", "content", "model"} <= answer.keys(),
    "roots/list": lambda answer: isinstance(answer.get("roots"), list),
}


def check(question, answer):
    if not isinstance(answer, dict) or not SHAPES[question["method"]](answer):
        raise Refusal(BAD_PARAMS, f"This is no answer to {question['method']}")
    return answer


class Push:
    """Requests to the client, all at once."""

    def __init__(self, session, outlet, meta=None):
        self.session, self.outlet, self.meta = session, outlet, meta

    async def _ask(self, key, question):
        if self.meta:
            question = {**question, "params": {**question["params"], "_meta": self.meta}}
        reply = await self.session.request(self.outlet, key, question)
        if "error" in reply:
            raise ToolFailed(f"{question['method']} failed: {reply['error'].get('message')}")
        return check(question, reply["result"])

    async def ask(self, questions, sealed, partly):
        asked = (self._ask(key, question) for key, question in questions.items())
        replies = await asyncio.gather(*asked, return_exceptions=True)
        answers = dict(zip(questions, replies))
        failed = [reply for reply in replies if isinstance(reply, BaseException)]
        if failed and (not partly or len(failed) == len(replies)):
            raise failed[0]
        return {key: reply for key, reply in answers.items() if reply not in failed}


class Rounds:
    """Questions as a result; the answers come with the next request, earlier ones in its state."""

    def __init__(self, seal, method, params):
        self.seal, self.method, self.params = seal, method, params
        self.given = params.get("inputResponses", {})
        if not isinstance(self.given, dict):
            raise Refusal(BAD_PARAMS, "inputResponses must be an object")
        self.stateful = "requestState" in params
        self.known = seal.open(method, params, params["requestState"]) if self.stateful else {}

    async def ask(self, questions, sealed, partly):
        del partly  # One of several cannot be refused.
        answers = dict(self.known)
        if self.stateful or not sealed:
            for key in questions.keys() & self.given.keys():
                answers[key] = check(questions[key], self.given[key])
        missing = {key: question for key, question in questions.items() if key not in answers}
        if missing:
            keep = sealed or answers
            raise InputRequired(
                missing, self.seal.close(self.method, self.params, answers) if keep else None
            )
        self.known = answers
        return {key: answers[key] for key in questions}
