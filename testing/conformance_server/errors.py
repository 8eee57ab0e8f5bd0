"""How a request ends when not with a result."""

import traceback

PARSE, INVALID, UNKNOWN_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NOT_FOUND = -32002  # A resource, up to 2025-11-25.
HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32020, -32021, -32022


class Refusal(Exception):
    """A JSON-RPC error; `status` is that of a 2026-07-28 response over HTTP."""

    def __init__(self, code, message, data=None, status=200):
        super().__init__(message)
        self.code, self.status = code, status
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class ToolFailed(Exception):
    """The tool ran and failed: a result with isError."""


class MissingCapability(Refusal):
    """The client has not declared what the call needs."""

    def __init__(self, needed):
        super().__init__(
            MISSING_CAPABILITY,
            "The client did not declare " + ", ".join(needed),
            {"requiredCapabilities": needed},
            400,
        )


class InputRequired(Exception):
    """A 2026-07-28 call that waits for answers: it ends, and comes again with them."""

    def __init__(self, questions, state):
        super().__init__("input required")
        self.result = {"resultType": "input_required", "inputRequests": questions}
        if state is not None:
            self.result["requestState"] = state


def refusal_of(error):
    """The error for an exception; an unexpected one is printed on stderr."""
    if isinstance(error, Refusal):
        return error
    traceback.print_exception(error)
    return Refusal(INTERNAL, f"{type(error).__name__}: {error}")
