"""A Call is one request in progress, as the tool or prompt that answers it sees it."""

from errors import MissingCapability
from revisions import LEVELS, NEEDS, since


class Outlet:
    """Where the messages go that belong to a request, before its answer."""

    async def send(self, message):
        raise NotImplementedError

    async def drop(self):
        """Cuts the client off; it may come back for the rest. Most transports cannot."""


class Call:
    def __init__(self, server, revision, params, client, input_source, notify, outlet, level):
        self.server, self.revision, self.params = server, revision, params
        self.arguments = params.get("arguments") or {}
        self.client = client  # What the client declared.
        self.input_source, self.outlet = input_source, outlet
        self.notify = notify  # Sends a notification to the client of this call.
        self.level = level  # None: no log messages.
        self.prepared = None  # What `first` of the tool gave.

    def get(self, name, default=None):
        return self.arguments.get(name, default)

    def can_ask(self, method):
        capability, first = NEEDS[method]
        return capability in self.client and since(self.revision, first)

    async def ask(self, sealed=False, partly=False, **questions):
        """The answers by key. `sealed`: they count only with the state that we gave out; `partly`:
        go on with what was answered."""
        for question in questions.values():
            if not self.can_ask(question["method"]):
                raise MissingCapability({NEEDS[question["method"]][0]: {}})
        return await self.input_source.ask(questions, sealed, partly)

    async def progress(self, done, total, message=None):
        token = (self.params.get("_meta") or {}).get("progressToken")
        if token is None:
            return
        params = {"progressToken": token, "progress": done, "total": total}
        if message and since(self.revision, "2025-03-26"):
            params["message"] = message
        await self.notify("notifications/progress", params)

    async def log(self, level, data):
        if self.level is not None and LEVELS.index(level) >= LEVELS.index(self.level):
            params = {"level": level, "logger": "conformance", "data": data}
            await self.notify("notifications/message", params)
