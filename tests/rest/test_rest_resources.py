"""Resources over REST: representations, caches, ranges; and URLs that try to escape their path
segment."""

import base64
import email
import email.policy
import json
import sys
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main
from rest_case import JSON, RestCase


class Resources(RestCase):
    def test_text_as_text_and_bytes_as_bytes(self):
        for prefix in ("/rcs/", "/agents/", "/agents/con/"):
            text = self.get(prefix + "test://text")
            self.assertEqual((text.status, text.body), (200, b"# Title\n"))
            self.assertEqual(text.header("content-type"), "text/markdown; charset=utf-8")
        data = self.get("/rcs/test%3A%2F%2Fbytes")
        self.assertEqual((data.status, data.body), (200, bytes(range(256))))
        self.assertEqual(data.header("content-type"), "application/x-bytes")
        self.assertEqual(self.get("/rcs/client/7").body, b"seven")
        self.assertEqual(self.get("/rcs/test://item/9").body, b"test://item/9")
        self.assertEqual(self.get("/rcs/test://empty").body, b"")

    def test_odd_uris_are_encoded_once(self):
        uri = "test://a b?c=d%20e#f"
        self.assertEqual(self.get("/rcs/" + quote(uri, safe="")).body, b"odd")
        self.assert_plain_error(self.get("/rcs/test://text?x=1"), 400, "%3F")

    def test_head_is_a_get_without_body(self):
        head = self.send("HEAD", "/rcs/test://bytes")
        whole = self.get("/rcs/test://bytes")
        self.assertEqual(head.status, 200)
        self.assertEqual(head.header("content-length"), "256")
        self.assertEqual(head.header("etag"), whole.header("etag"))

    def test_null_only_marks_presence(self):
        for method in ("GET", "HEAD"):
            response = self.send(method, "/rcs/test://null")
            self.assertEqual(response.status, 204)
            self.assertEqual(response.content_type, "text/html")

    def test_the_whole_form(self):
        whole = {"Accept": "application/json"}
        data = self.json(self.get("/rcs/test://bytes", whole))
        self.assertEqual(
            data,
            {
                "type": "blob",
                "uri": "test://bytes",
                "mimeType": "application/x-bytes",
                "blob": base64.b64encode(bytes(range(256))).decode(),
            },
        )
        self.assertIsNone(self.json(self.get("/rcs/test://null", whole))["text"])
        self.assertEqual(self.get("/rcs/test://json").body, b'{"a":1}')
        self.assertEqual(self.json(self.get("/rcs/test://json", whole))["text"], '{"a":1}')
        self.assertEqual(len(self.json(self.get("/rcs/test://many"))), 2)

    def test_entity_tags(self):
        first = self.get("/rcs/test://text")
        tag = first.header("etag")
        again = self.get("/rcs/test://text", {"If-None-Match": tag})
        self.assertEqual((again.status, again.body, again.header("etag")), (304, b"", tag))
        self.assertEqual(self.get("/rcs/test://text", {"If-None-Match": '"x"'}).status, 200)
        whole = self.get("/rcs/test://text", {"Accept": "application/json"})
        self.assertNotEqual(whole.header("etag"), tag)
        self.assertEqual(whole.header("vary"), "Accept")

    def test_freshness(self):
        fresh = self.get("/rcs/test://fresh").header("cache-control")
        self.assertEqual(fresh, "public, max-age=90")
        self.assertEqual(self.get("/rcs/test://text").header("cache-control"), "private, no-cache")

    def test_ranges(self):
        part = self.get("/rcs/test://bytes", {"Range": "bytes=10-19"})
        self.assertEqual((part.status, part.body), (206, bytes(range(10, 20))))
        self.assertEqual(part.header("content-range"), "bytes 10-19/256")
        self.assertEqual(self.get("/rcs/test://bytes", {"Range": "bytes=-2"}).body, b"\xfe\xff")
        parts = self.get("/rcs/test://bytes", {"Range": "bytes=1-2,-1,900-"})
        self.assertEqual((parts.status, parts.content_type), (206, "multipart/byteranges"))
        whole = f"Content-Type: {parts.header('content-type')}\r\n\r\n".encode() + parts.body
        read = email.message_from_bytes(whole, policy=email.policy.HTTP).get_payload()
        self.assertEqual([part["content-range"] for part in read], ["bytes 1-2/256", "bytes 255-255/256"])
        self.assertEqual([part.get_content() for part in read], [b"\x01\x02", b"\xff"])
        self.assertEqual(self.get("/rcs/test://bytes", {"If-Match": '"x"'}).status, 412)
        self.assertEqual(self.get("/rcs/test://bytes", {"If-Match": "*"}).status, 200)
        beyond = self.get("/rcs/test://bytes", {"Range": "bytes=256-"})
        self.assertEqual((beyond.status, beyond.header("content-range")), (416, "bytes */256"))

    def test_nothing_in_a_resource_acts_in_our_name(self):
        page = self.get("/rcs/test://page")
        self.assertIn("sandbox", page.header("content-security-policy"))
        self.assertEqual(page.header("x-content-type-options"), "nosniff")
        evil = self.get("/rcs/test://evil")
        self.assertNotIn("x-evil", evil.headers)
        self.assertEqual(evil.content_type, "text/plain")

    def test_statuses(self):
        self.assert_plain_error(self.get("/rcs/test://nope"), 404, "unknown resource")
        self.assert_plain_error(self.get("/rcs/test://broken"), 502)
        self.assertEqual(self.post("/rcs/test://text").status, 405)


# Strings that try to escape their path segment, as they are sent.
HOSTILE = (
    "..",
    "../..",
    "%2e%2e",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%2F..%2Fmetrics",
    "%252e%252e%252f",
    "..;/metrics",
    "....//",
    ".%00",
    "a%00b",
    "a%0d%0aX-Evil:%20yes",
    "%0d%0a%0d%0aHTTP/1.1%20200%20OK",
    "a%0Ab",
    "%E5%98%8D%E5%98%8AX-Evil:yes",
    "a%2Fb",
    "a%5Cb",
    "..%5C..%5Cx",
    "%c0%ae%c0%ae/",
    "%ff%fe",
    "%",
    "%2",
    "%zz",
    "%u002e",
    "//evil.example/x",
    "http:%2F%2Fevil.example%2F",
    "%22%7D%2C%22name%22%3A%22con.add",
    "{name}",
    "<script>alert(1)</script>",
    "x" * 4000,
)
TEMPLATES = (
    ("GET", "/mcp/v1/{}"),
    ("GET", "/mcp/v1/tools/{}"),
    ("POST", "/mcp/v1/tools/{}"),
    ("POST", "/mcp/v1/tools/con.move/answers/{}"),
    ("POST", "/mcp/v1/tools/{}/answers/x"),
    ("GET", "/mcp/v1/resources/{}"),
    ("GET", "/mcp/v1/tools?cursor={}"),
    ("GET", "/mcp/v1/tools?{}"),
    ("GET", "/gateway/{}/mcp/v1/tools"),
    ("GET", "/gateway/prod/{}"),
    ("POST", "/api/{}"),
    ("POST", "/api/con.move/answers/{}"),
    ("GET", "/rcs/{}"),
    ("GET", "/rcs/test://{}"),
    ("HEAD", "/rcs/{}"),
    ("GET", "/agents/{}"),
    ("POST", "/agents/{}"),
    ("GET", "/swagger-ui/{}"),
    ("GET", "/openapi.json?{}"),
)


class HostileUrls(RestCase):
    def test_nothing_escapes_its_location(self):
        for method, template in TEMPLATES:
            for text in HOSTILE:
                with self.subTest(template=template, text=text[:40]):
                    self.check(method, template.format(text))

    def check(self, method, path):
        with self.gateway.connect() as connection:
            connection.send(method, path, JSON, b"{}" if method == "POST" else None)
            response = connection.read_head()
            if method == "HEAD":
                self.assertIn(response.status, (400, 404))
                return
            body = response.read()
            self.assertNotIn("x-evil", response.headers)
            self.assertNotIn(b"root:", body)
            self.assertNotIn(b"patchbay_calls", body)
            if "?" in path or path == "/swagger-ui/..;/metrics":
                self.assertIn(response.status, (200, 400, 404))
            else:
                self.assertIn(response.status, (400, 404, 405, 409), body)
            # What was not refused as malformed leaves the connection in order.
            if response.header("connection") != "close":
                self.assertEqual(connection.request("GET", "/health").status, 200)

    def test_arguments_stay_arguments(self):
        hostile = '{"a":{"name":"con.fail"},"_meta":{"progressToken":1},"name":"con.fail"}'
        self.assertEqual(self.post("/api/con.move", hostile.encode()).status, 200)
        seen = json.loads(self.json(self.post("/api/con.seen"))["content"][0]["text"])
        self.assertEqual(seen["name"], "move")
        self.assertEqual(seen["arguments"], json.loads(hostile))


class WithCallers(RestCase):
    """A resource of one caller must not be in a cache that others use."""

    TOKEN = "a-token-of-thirty-two-characters-00"
    settings = {"auth": {"tokens": [{"name": "ci", "token": TOKEN}]}}

    def test_nothing_is_public(self):
        fresh = self.get("/rcs/test://fresh", {"Authorization": f"Bearer {self.TOKEN}"})
        self.assertEqual((fresh.status, fresh.header("cache-control")), (200, "private, max-age=90"))


class WithRules(RestCase):
    settings = {"rules": [{"role": "any", "allow": ["*"], "resources": ["*"]}]}

    def test_nothing_is_public(self):
        fresh = self.get("/rcs/test://fresh")
        self.assertEqual((fresh.status, fresh.header("cache-control")), (200, "private, max-age=90"))


if __name__ == "__main__":
    main()
