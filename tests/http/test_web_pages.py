"""What web pages can make the gateway do: nothing, unless their origin is its own or is allowed."""

import http.server
import json
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

import chromium
from harness import BOTH, TIMEOUT, Gateway, McpSession, TestCase, fake_config, main, wait_until

NOT_JSON = (
    "text/plain; x=,application/json",
    "text/plain, application/json",
    "application/json, text/plain",
    "text/plain; application/json",
    "text/plain; x=\",\", application/json",
    "application/jsonx",
    "application/json; charset=\"utf-8",
    "application/json x",
    ";application/json",
    ",application/json",
    "",
)
JSON = (
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json;charset=\"utf-8\"",
    "application/json ; a=b; c=\"d,\\\"e\"",
    "application/json;",
)
CALL = json.dumps({"text": "x"}).encode()


class Bytes(TestCase):
    @classmethod
    def setUpClass(cls):
        config = fake_config(http={"hosts": ["gw.example"], "origins": ["https://page.example"]})
        cls.gateway = cls.enterClassContext(Gateway(config))

    def status(self, method, path, headers=None, body=None):
        with self.gateway.connect() as connection:
            return connection.request(method, path, headers, body).status

    def test_one_media_type_compared_exactly(self):
        ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        with McpSession(self.gateway) as session:
            paths = {
                "/mcp": ({"Accept": BOTH, "Mcp-Session-Id": session.id}, ping),
                "/message?sessionId=x": ({}, ping),
                "/api/fake.echo": ({}, CALL),
                "/mcp/v1/tools/fake__echo": ({}, CALL),
                "/api/agent/execute": ({}, b'{"goal":"skills.time"}'),
            }
            for path, (headers, body) in paths.items():
                for kind in NOT_JSON:
                    with self.subTest(path=path, kind=kind):
                        wrong = self.status("POST", path, {**headers, "Content-Type": kind}, body)
                        self.assertEqual(wrong, 415)
                for kind in JSON:
                    with self.subTest(path=path, kind=kind):
                        right = self.status("POST", path, {**headers, "Content-Type": kind}, body)
                        self.assertNotEqual(right, 415)

    def test_origins(self):
        port = self.gateway.port
        kind = {"Content-Type": "application/json"}
        table = {
            f"http://127.0.0.1:{port}": 200,
            "https://page.example": 200,
            "https://gw.example": 200,
            f"http://127.0.0.1:{port + 1}": 403,
            "http://127.0.0.1": 403,
            f"http://localhost:{port}": 403,  # Another origin than that of the request.
            "https://gw.example:444": 403,
            "https://gw.example.evil.example": 403,
            "null": 403,
        }
        for origin, status in table.items():
            with self.subTest(origin):
                headers = {**kind, "Origin": origin}
                self.assertEqual(self.status("POST", "/api/fake.echo", headers, CALL), status)
                self.assertEqual(self.status("GET", "/health", {"Origin": origin}), status)
        local = {**kind, "Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}
        self.assertEqual(self.status("POST", "/api/fake.echo", local, CALL), 200)

    def test_requests_of_other_pages_that_name_no_origin(self):
        def fetch(site, mode="no-cors", dest="image", method="GET", **more):
            fields = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
            return self.status(method, "/mcp/v1/tools", {**fields, **more})

        for site in ("cross-site", "same-site"):
            self.assertEqual(fetch(site), 403)
            self.assertEqual(fetch(site, method="HEAD"), 403)
            self.assertEqual(fetch(site, "navigate", "iframe"), 403)
            self.assertEqual(fetch(site, "navigate", "document"), 200)  # A link.
            self.assertEqual(fetch(site, "cors", "empty", Origin="https://page.example"), 200)
        for site in ("same-origin", "none"):
            self.assertEqual(fetch(site), 200)

    def test_answers_are_not_for_other_pages_and_not_for_caches(self):
        paths = ("/health", "/ready", "/metrics", "/mcp/v1/tools", "/mcp/v1/resources", "/nothing")
        for path in paths:
            with self.subTest(path), self.gateway.connect() as connection:
                answer = connection.request("GET", path)
                policy = answer.header("Cross-Origin-Resource-Policy")
                self.assertEqual(policy, "same-origin")
                self.assertEqual(answer.header("Cache-Control"), "no-store")
                self.assertRegex(
                    answer.header("Date"),
                    r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$",
                )


class Methods(TestCase):
    """Methods are case-sensitive."""

    def test_methods_are_case_sensitive(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            headers = {"Mcp-Session-Id": session.id, "Accept": BOTH}
            table = [
                ("post", "/mcp"),
                ("Get", "/mcp"),
                ("delete", "/mcp"),
                ("get", "/health"),
                ("get", "/control/approvals/1"),
                ("pOST", "/api/fake.echo"),
                ("get", "/mcp/v1/tools"),
            ]
            for method, path in table:
                with self.subTest(f"{method} {path}"), gateway.connect() as connection:
                    self.assertEqual(connection.request(method, path, headers).status, 405)
            self.assertIn("tools", session.request("tools/list")["result"])


PAGE = """<!doctype html><title>any page</title><script>
(async () => {
  const plan = await (await fetch('/plan')).json();
  for (const type of plan.types) {
    const how = {method: 'POST', mode: 'no-cors', headers: {'Content-Type': type}, body: plan.body};
    try { await fetch(plan.url, how); } catch (error) {}
  }
  try { await fetch(plan.url, {method: 'POST', mode: 'no-cors'}); } catch (error) {}
  navigator.sendBeacon(plan.url, new Blob([plan.body], {type: 'text/plain'}));
  await new Promise(done => {
    const image = document.createElement('img');
    image.onload = image.onerror = done; image.src = plan.read; document.body.append(image);
  });
  await fetch('/done', {method: 'POST'});
})();
</script><body></body>"""


class Page(TestCase):
    def test_a_page_of_another_port_runs_no_tool(self):
        if not chromium.program():
            print("a web page in a browser was left out: there is no chromium", flush=True)
            self.skipTest("there is no chromium")
        gateway = self.enterContext(Gateway(fake_config()))
        base = f"http://127.0.0.1:{gateway.port}"
        plan = {
            "url": f"{base}/api/fake.echo",
            "read": f"{base}/mcp/v1/tools",
            "types": [NOT_JSON[0], "text/plain"],
            "body": CALL.decode(),
        }
        before = gateway.metric("patchbay_http_requests_total")
        self.assertTrue(opened(plan), "the page did not come to its end")
        # Each of its requests has come to the gateway.
        wait_until(
            lambda: gateway.metric("patchbay_http_requests_total") >= before + 5,
            "the requests of the page",
        )
        self.assertEqual(gateway.log_calls(), [])


def opened(plan):
    """Whether the script of the page came to its end in Chromium."""
    done = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self, text, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            if self.path == "/plan":
                self.answer(json.dumps(plan).encode(), "application/json")
            else:
                self.answer(PAGE.encode(), "text/html")

        def do_POST(self):
            self.answer(b"", "text/plain")
            done.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with chromium.browsing(f"http://127.0.0.1:{server.server_port}/"):
            return done.wait(TIMEOUT)
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
