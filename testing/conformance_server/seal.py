"""The state that a client of 2026-07-28 stores for us, sealed.

It is bound to one request (method, name and arguments) and to a time, and sealed with a key of this
process.
"""

import base64
import hashlib
import hmac
import json
import os
import time

from errors import BAD_PARAMS, Refusal

LIFETIME_S = 600


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def subject_of(method, params):
    named = {key: params.get(key) for key in ("name", "uri", "arguments")}
    return hashlib.sha256(canonical([method, named])).hexdigest()


class Seal:
    def __init__(self):
        self.key = os.urandom(32)

    def _mac(self, body):
        return base64.urlsafe_b64encode(hmac.digest(self.key, body, "sha256")).decode()

    def close(self, method, params, content):
        until = time.time() + LIFETIME_S
        body = canonical({"for": subject_of(method, params), "until": until, "content": content})
        return base64.urlsafe_b64encode(body).decode() + "." + self._mac(body)

    def open(self, method, params, state):
        """The content, or a refusal of everything that we have not sealed for this very request."""
        encoded, _, mac = str(state).partition(".")
        try:
            body = base64.b64decode(encoded, "-_", validate=True)
        except ValueError:
            body = b""
        if not hmac.compare_digest(self._mac(body).encode(), mac.encode()):
            raise Refusal(BAD_PARAMS, "requestState is not ours")
        sealed = json.loads(body)
        if sealed["for"] != subject_of(method, params) or sealed["until"] < time.time():
            raise Refusal(BAD_PARAMS, "requestState belongs to another request or has expired")
        return sealed["content"]
