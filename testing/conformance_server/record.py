"""Writes down every message as a JSON line, so that tests can check them against the schemas.

A line has `direction` (in or out), `revision`, `message` and, for a response, `method`: that of the
request it answers. A line with `fault` reports something that the revision does not allow; one
with `event` the outcome of a call.
"""

import json


class Record:
    def __init__(self, path=None):
        self.file = open(path, "a", encoding="utf-8") if path else None

    def write(self, **line):
        if self.file:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def incoming(self, revision, message, method=None):
        self.write(direction="in", revision=revision, method=method, message=message)

    def outgoing(self, revision, message, method=None):
        self.write(direction="out", revision=revision, method=method, message=message)

    def fault(self, revision, what, message=None):
        self.write(fault=what, revision=revision, message=message)

    def event(self, revision, what, **more):
        self.write(event=what, revision=revision, **more)
