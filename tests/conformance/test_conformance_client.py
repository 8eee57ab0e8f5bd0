"""The client scenarios of the official conformance suite, with the gateway as the client.

The suite's own servers are behind the gateway, so what is tested is how it behaves as a client
over HTTP, and how it comes to its tokens. testing/conformance_client.py makes the calls in front,
and signs in where required.
"""

import concurrent.futures
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from conformance import CLIENT, Suite
from harness import BINARY, main
from npm_peers import LeftOut

# scenario -> the revisions of the suite's server
SCENARIOS = {
    "initialize": ["2025-06-18", "2025-11-25"],
    "tools_call": ["2025-06-18", "2025-11-25", "2026-07-28"],
    "elicitation-sep1034-client-defaults": ["2025-11-25"],
    "sse-retry": ["2025-11-25"],
    "request-metadata": ["2026-07-28"],
    "sep-2322-client-request-state": ["2026-07-28"],
    "http-standard-headers": ["2026-07-28"],
    "http-custom-headers": ["2026-07-28"],
    "http-invalid-tool-headers": ["2026-07-28"],
    "json-schema-ref-no-deref": ["2026-07-28"],
    "json-schema-2020-12-preservation": ["2025-11-25", "2026-07-28"],
}
BOTH = ["2025-11-25", "2026-07-28"]
SCENARIOS |= {
    f"auth/{name}": BOTH
    for name in (
        "metadata-default",
        "metadata-var1",
        "metadata-var2",
        "metadata-var3",
        "basic-cimd",
        "scope-from-www-authenticate",
        "scope-from-scopes-supported",
        "scope-omitted-when-undefined",
        "scope-step-up",
        "scope-retry-limit",
        "pre-registration",
    )
}
SCENARIOS |= {
    f"auth/token-endpoint-auth-{method}": ["2025-06-18", *BOTH] for method in ("basic", "post", "none")
}
SCENARIOS |= {
    f"auth/{name}": ["2026-07-28"]
    for name in (
        "resource-mismatch",
        "offline-access-scope",
        "offline-access-not-supported",
        "authorization-server-migration",
        "iss-supported",
        "iss-not-advertised",
        "iss-supported-missing",
        "iss-wrong-issuer",
        "iss-unexpected",
        "iss-normalized",
        "metadata-issuer-mismatch",
    )
}
SCENARIOS |= {
    f"auth/2025-03-26-oauth-{name}": ["2025-03-26"]
    for name in ("metadata-backcompat", "endpoint-fallback")
}
# Extensions, which are in no requirement set and of no revision. Not among them: DPoP, which the
# gateway does not do.
SCENARIOS |= {
    f"auth/{name}": [None]
    for name in (
        "client-credentials-jwt",
        "client-credentials-basic",
        "enterprise-managed-authorization",
        "wif-jwt-bearer",
    )
}
# Where the right thing to do is to give up.
STOPS = {
    "auth/resource-mismatch",
    "auth/scope-retry-limit",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
}
AT_A_TIME = 4


def setUpModule():
    try:
        ClientTest.suite = Suite()
    except LeftOut as reason:
        print(f"the client scenarios of the suite were left out: {reason}", flush=True)
        raise unittest.SkipTest(str(reason)) from None


class ClientTest(unittest.TestCase):
    suite = None

    def run_one(self, scenario, version):
        command = f"{sys.executable} {CLIENT}"
        env = {"PATCHBAY_BIN": BINARY}
        return self.suite.run_client_scenario(command, scenario, version, env)

    def test_client_scenarios(self):
        cases = [(name, version) for name, versions in SCENARIOS.items() for version in versions]
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            runs = {case: pool.submit(self.run_one, *case) for case in cases}
        for (scenario, version), finished in runs.items():
            with self.subTest(scenario=scenario, revision=version):
                outcome, reply = finished.result()
                if scenario in STOPS and "CLIENT TIMED OUT" not in reply:
                    outcome.finished = True
                self.assertTrue(outcome.passed, f"{outcome.complaints()}\n{reply[-3000:]}")
                self.assertEqual("", outcome.complaints("WARNING"))


if __name__ == "__main__":
    main()
