#!/usr/bin/env python3
"""Checks recorded messages against the JSON schema of their revision.

The messages are those that testing/conformance_server writes with --record. The schemas are
mcp-schema/<revision>.json in $PATCHBAY_SHARED, or in a folder `shared` beside this checkout; where
they or python3-jsonschema are missing, LeftOut is raised.

usage: schema_check.py RECORD…
"""

import functools
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATELESS = "2026-07-28"
MAX_LISTED = 3  # Faults of one message.

# The schemas of these two want whole numbers for bounds and defaults of numbers, which the text of
# the specification does not.
FRACTIONS_FORGOTTEN = ("2025-06-18", "2025-11-25")



class LeftOut(Exception):
    """Why nothing can be checked here."""


def schema_folder():
    shared = os.environ.get("PATCHBAY_SHARED") or ROOT.parent / "shared"
    folder = pathlib.Path(shared) / "mcp-schema"
    if not folder.is_dir():
        raise LeftOut("there is no folder mcp-schema in PATCHBAY_SHARED or ../shared")
    return folder


class Schema:
    """The schema of one revision: which definition a message must fit, and whether it does."""

    def __init__(self, revision):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise LeftOut("there is no python3-jsonschema") from None
        self.jsonschema = jsonschema
        text = (schema_folder() / f"{revision}.json").read_text(encoding="utf-8")
        self.schema = json.loads(text)
        self.key = "$defs" if "$defs" in self.schema else "definitions"
        self.definitions = self.schema[self.key]
        if revision in FRACTIONS_FORGOTTEN:
            for member in ("minimum", "maximum", "default"):
                self.definitions["NumberSchema"]["properties"].get(member, {})["type"] = "number"
        self.by_method, self.by_code, self.results = {}, {}, {}
        for name, definition in self.definitions.items():
            self._enter(name, definition)

    def _enter(self, name, definition):
        properties = definition.get("properties", {})
        method = properties.get("method", {}).get("const")
        if method:
            self.by_method[method] = name
            result = name.removesuffix("Request") + "Result"
            if name.endswith("Request") and result in self.definitions:
                self.results[method] = result
        for part in properties.get("error", {}).get("allOf", ()):
            code = part.get("properties", {}).get("code", {}).get("const")
            if code is not None:
                self.by_code[code] = name

    @functools.lru_cache(maxsize=None)
    def _validator(self, name):
        kind = self.jsonschema.validators.validator_for(self.schema)
        return kind({**self.schema, "$ref": f"#/{self.key}/{name}"})

    def _fits(self, name, value):
        validator = self._validator(name)
        errors = sorted(validator.iter_errors(value), key=lambda error: list(error.absolute_path))
        listed = []
        for error in errors[:MAX_LISTED]:
            where = "/".join(map(str, error.absolute_path))
            listed.append(f"{name}/{where}: {error.message[:200]}")
        return listed

    def _first(self, *names):
        return next(name for name in names if name in self.definitions)

    def faults(self, message, method=None):
        """What is wrong with a message; `method` is that of the request which it answers."""
        if isinstance(message, list):
            return [fault for part in message for fault in self.faults(part, method)]
        if not isinstance(message, dict):
            return ["this is no message"]
        if "method" in message:
            generic = "JSONRPCRequest" if "id" in message else "JSONRPCNotification"
            return self._fits(self.by_method.get(message["method"], generic), message)
        if "error" in message:
            generic = self._first("JSONRPCErrorResponse", "JSONRPCError")
            return self._fits(self.by_code.get(message["error"].get("code"), generic), message)
        if "result" not in message:
            return ["this is neither a request, nor a notification, nor a response"]
        whole = self._fits(self._first("JSONRPCResultResponse", "JSONRPCResponse"), message)
        return whole + self._result_faults(message["result"], method)

    def _result_faults(self, result, method):
        kind = result.get("resultType")
        if kind == "input_required" and "InputRequiredResult" in self.definitions:
            return self._fits("InputRequiredResult", result)
        if kind == "task":
            return []  # Of an extension, which has no schema here.
        if "task" in result and method == "tools/call" and "CreateTaskResult" in self.definitions:
            return self._fits("CreateTaskResult", result)
        return self._fits(self.results[method], result) if method in self.results else []


@functools.lru_cache(maxsize=None)
def schema_of(revision):
    return Schema(revision)


def check_message(revision, message, method=None):
    return schema_of(revision).faults(message, method)


def check_record(path, directions=("in", "out")):
    """(how many messages were checked, what is wrong with them). Faults that the server itself wrote
    down count too."""
    count, wrong = 0, []
    with open(path, encoding="utf-8") as record:
        for line in map(json.loads, record):
            if "fault" in line and "in" in directions:
                wrong.append(f"[{line['revision']}] {line['fault']}: {json.dumps(line['message'])}")
            if line.get("direction") not in directions:
                continue
            count += 1
            faults = check_message(line["revision"], line["message"], line["method"])
            if faults:
                listed = json.dumps(line["message"])[:600]
                wrong.append(
                    f"[{line['direction']} {line['revision']}] {'; '.join(faults)} in {listed}"
                )
    return count, wrong


@functools.lru_cache(maxsize=None)
def report_left_out(reason):
    """Once for each reason."""
    print(f"\nthe check against the schemas of MCP was left out: {reason}", flush=True)


def assert_record(case, path, directions=("in", "out")):
    """Fails `case` if a message violates its schema; prints a line where that cannot be checked."""
    try:
        count, wrong = check_record(path, directions)
    except LeftOut as reason:
        report_left_out(str(reason))
        return
    case.assertEqual([], wrong)
    case.assertGreater(count, 0, "nothing was recorded")


def main():
    failed = False
    for path in sys.argv[1:]:
        try:
            count, wrong = check_record(path)
        except LeftOut as reason:
            report_left_out(str(reason))
            return 0
        print(*wrong, f"{path}: {count} messages, {len(wrong)} faults", sep="\n")
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
