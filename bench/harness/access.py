"""call_access: the cost of authenticating callers.

The baseline is the same call to the same gateway without authentication. An authenticated caller costs
a digest of the credential and a look-up, so a longer credential, of the size of a JSON Web Token,
is measured beside the short one. The last row is everything at once: the token, a role with rules about
it, and a line of the audit file for each call.
"""

from contextlib import ExitStack

from . import calls, processes, report, requests
from .measure import Bench, Target

OPEN = "nobody asked"
SHORT = "token"
LONG = "token of 1 KB"
ALL = "token, rules, audit"
RULES = 'rules: [{role: caller, allow: ["skills.*"], deny: ["*.delete*"]}]'
TOKENS = {SHORT: "short-token-" + "s" * 60, LONG: "long-token-" + "l" * 1000}


def run(bench: Bench, options) -> dict:
    found = {}
    if not options.has_gateway:
        return found
    text = "t" * 200
    traffic = requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)
    listed = ", ".join(f"{{name: caller{i}, token: {t}}}" for i, t in enumerate(TOKENS.values()))
    with_role = f"auth: {{tokens: [{{name: caller, token: {TOKENS[SHORT]}, roles: [caller]}}]}}"
    audit = f"audit: {{file: {bench.scratch('audit')}/audit.jsonl}}"
    settings = {
        OPEN: calls.gateway_settings(options, ""),
        SHORT: calls.gateway_settings(options, f"auth: {{tokens: [{listed}]}}\n"),
        ALL: calls.gateway_settings(options, f"{with_role}\n{RULES}\n{audit}\n"),
    }
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(
                processes.gateway(bench.tools, bench.scratch("gateway"), text)
            )
            for name, text in settings.items()
        }
        targets = [Target(OPEN, servers[OPEN], traffic)]
        for name, token in TOKENS.items():
            targets.append(Target(name, servers[SHORT], requests.with_token(traffic, token)))
        short = requests.with_token(traffic, TOKENS[SHORT])
        targets.append(Target(ALL, servers[ALL], short))
        found = {"200 B": {n: bench.compare(targets, n) for n in options.connections}}
    calls.show("call_access", options, found, OPEN)
    report.print_goals(goals(found))
    return found


def goals(found: dict) -> list[report.Goal]:
    made = []
    for connections, figures in found["200 B"].items():
        for name in (*TOKENS, ALL):
            cpu = figures[name]["cpu_us"] / figures[OPEN]["cpu_us"]
            what = f"{name}, {connections} connections, CPU per call"
            made.append(report.Goal(what, cpu, 1.15, "× nobody asked"))
    return made
