"""Hostile URLs at every position of every path of REST, OpenAPI, Swagger UI and goals: each gets a
clean answer, never a file of the machine or an injected header, and the connection continues to
serve requests."""

import sys
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main
from rest_case import JSON, RestCase

LONG = "a" * 6000
STRINGS = (
    "..",
    ".",
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "..%5c..%5cetc%5cpasswd",
    "..\\..\\etc\\passwd",
    "..;/..;/etc/passwd",
    "a;b=c",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "file%3a%2f%2f%2fetc%2fpasswd",
    "a%2fb",
    "a%252fb",
    "%c0%ae%c0%ae%c0%afetc",
    "%ff%fe",
    "%ed%a0%80",
    "a%00b",
    "a%0d%0aX-Evil:%20yes",
    "a%0aX-Evil:%20yes",
    "%E5%98%8A%E5%98%8DX-Evil:%20yes",
    "a%7fb",
    "%",
    "%2",
    "%zz",
    "%u002e",
    "a%20HTTP/1.1",
    "?",
    "a?b=%0d%0aX-Evil:%20yes",
    "a?..%2f..%2fetc",
    "a%3fb%23c",
    "*",
    "~root",
    "%24%7bjndi:ldap://x%7d",
    "%3cscript%3e",
    "con.add/answers/%2e%2e",
    LONG,
    quote("ü" * 500),
)
TEMPLATES = (
    ("GET", "/{}"),
    ("POST", "/api/{}"),
    ("POST", "/api/{}/answers/x"),
    ("POST", "/api/con.add/answers/{}"),
    ("POST", "/api/agent/{}"),
    ("POST", "/api/agent/execute/{}"),
    ("GET", "/rcs/{}"),
    ("HEAD", "/rcs/{}"),
    ("GET", "/rcs/test://{}"),
    ("GET", "/rcs/test://item/{}"),
    ("GET", "/agents/{}"),
    ("POST", "/agents/{}"),
    ("GET", "/agents?q={}"),
    ("GET", "/mcp/v1/{}"),
    ("GET", "/mcp/v1/tools/{}"),
    ("POST", "/mcp/v1/tools/{}"),
    ("POST", "/mcp/v1/tools/{}/answers/{}"),
    ("GET", "/mcp/v1/tools?q={}"),
    ("GET", "/mcp/v1/tools?{}=x"),
    ("GET", "/mcp/v1/tools?cursor={}"),
    ("GET", "/mcp/v1/resources/{}"),
    ("GET", "/mcp/v1/health/{}"),
    ("GET", "/gateway/{}"),
    ("GET", "/gateway/{}/mcp/v1/tools"),
    ("GET", "/gateway/prod/{}"),
    ("GET", "/gateway/prod/mcp/v1/resources/{}"),
    ("GET", "/openapi.json/{}"),
    ("GET", "/openapi.json?{}"),
    ("GET", "/v3/{}"),
    ("GET", "/swagger-ui/{}"),
    ("GET", "/swagger-ui/../{}"),
)
# What the fixture really has at such a path.
THERE = ("/rcs/test://item/", "/openapi.json?")
STATUSES = (200, 202, 302, 400, 404, 405, 406, 409, 414, 422, 502)


class Hostile(RestCase):
    def check(self, connection, method, path):
        body = {} if method == "POST" else None
        response = connection.request(method, path, JSON if body is not None else {}, body)
        self.assertIn(response.status, STATUSES, response.body[:300])
        self.assertIsNone(response.header("x-evil"))
        self.assertNotIn(b"root:", response.body)
        if response.status >= 400 and method != "HEAD":
            self.assertEqual(response.content_type, "application/json")
            self.assertIn("error", response.json())
        if response.status == 302:
            self.assertEqual(response.header("location"), "/swagger-ui/index.html")
        return response

    def test_everything_everywhere(self):
        for method, template in TEMPLATES:
            for text in STRINGS:
                path = template.replace("{}", text)
                with self.subTest(method=method, path=path[:120]), self.gateway.connect() as connection:
                    response = self.check(connection, method, path)
                    if response.header("connection") == "close":
                        continue  # Input that cannot be read as a request ends the connection.
                    after = connection.request("GET", "/mcp/v1/tools/con.add")
                    self.assertEqual((after.status, after.json()["name"]), (200, "con.add"))

    def test_what_is_no_resource_is_not_there(self):
        for text in STRINGS:
            for template in ("/rcs/", "/agents/", "/mcp/v1/resources/"):
                if not text.startswith("?") and (template, text) != ("/agents/", "."):
                    with self.subTest(template + text[:80]):
                        self.assertIn(self.get(template + text).status, (400, 404, 414), text[:80])

    def test_bytes_that_no_url_has(self):
        for raw in (b"\x00", b"\x01", b"\x7f", b"\xff", b"\xc0\xae", b"\r", b"\n", b" ", b"\t"):
            for path in (b"/api/a%sb", b"/rcs/a%sb", b"/swagger-ui/a%sb", b"/mcp/v1/tools?q=a%sb"):
                with self.subTest(path % raw), self.gateway.connect() as connection:
                    connection.send_raw(
                        b"GET " + path % raw + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    )
                    response = connection.read_response()
                    self.assertIn(response.status, (400, 404, 405), response.body)
                    self.assertIsNone(response.header("x-evil"))

    def test_a_url_beyond_the_limit(self):
        with self.gateway.connect() as connection:
            response = connection.request("GET", "/rcs/" + "a" * 100_000)
            self.assertIn(response.status, (414, 431))

    def test_names_with_slashes_are_reached_only_encoded(self):
        self.assertEqual(self.post("/api/con.with%2Fslash").status, 200)
        self.assertEqual(self.post("/api/con.with/slash").status, 404)
        self.assertEqual(self.post("/api/con.with%252Fslash").status, 404)
        self.assertEqual(self.get("/rcs/test%3A%2F%2Fitem%2Fa%252Fb").status, 200)

    def test_what_was_encoded_twice_is_decoded_once(self):
        body = self.get("/rcs/test://item/%252e%252e%252fx").body.decode()
        self.assertNotIn("../", body)

    def test_the_return_path_is_local(self):
        asked = self.post("/api/con.ask%3Fx")
        self.assertIn(asked.status, (202, 404))
        asked = self.post("/api/con.ask")
        self.assertEqual(asked.status, 202)
        self.assertTrue(asked.header("location").startswith("/api/con.ask/answers/"))


if __name__ == "__main__":
    main()
