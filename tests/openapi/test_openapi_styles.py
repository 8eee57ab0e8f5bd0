"""Parameters of an OpenAPI upstream: every style, and hostile values in every location."""

import sys
import urllib.parse

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main, result_of, stateless_call, text_of
from openapi_case import OpenapiCase, parameter

STYLES = [
    ("path", "simple", False),
    ("path", "simple", True),
    ("path", "label", False),
    ("path", "label", True),
    ("path", "matrix", False),
    ("path", "matrix", True),
    ("query", "form", False),
    ("query", "form", True),
    ("query", "spaceDelimited", False),
    ("query", "pipeDelimited", False),
    ("query", "deepObject", True),
    ("header", "simple", False),
    ("header", "simple", True),
    ("cookie", "form", False),
    ("cookie", "form", True),
]


def style_name(location, style, explode):
    return f"{location}-{style}-{'yes' if explode else 'no'}"


def style_document():
    paths = {}
    for location, style, explode in STYLES:
        one = parameter("color", location, style=style, explode=explode)
        other = parameter("other", schema={"type": "string"})
        suffix = "/{color}/end" if location == "path" else ""
        name = style_name(location, style, explode)
        paths[f"/{name}{suffix}"] = {
            "get": {"operationId": name, "parameters": [one, other], "security": [{"key": []}]}
        }
    scheme = {"type": "apiKey", "in": "query", "name": "api_key"}
    return {
        "openapi": "3.1.0",
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"securitySchemes": {"key": scheme}},
    }


HOSTILE = [
    "..",
    ".",
    "../../admin",
    "..%2f..%2fadmin",
    "%2e%2e/%2e%2e/admin",
    "..\\..\\admin",
    "..;/admin",
    "/admin",
    "//evil.example/",
    "a/b",
    "a?admin=1",
    "a#b",
    "a&admin=1",
    "a;admin=1",
    "a,admin",
    "a|admin",
    "a admin",
    "a=b",
    "x HTTP/1.1\r\nX-Admin: 1\r\n\r\nGET /admin",
    "a\r\nX-Admin: 1",
    "a\nX-Admin: 1",
    "a\rX-Admin: 1",
    "a\0b",
    "a\u0085b",
    "a\u2028b",
    "\u560d\u560aX-Admin: 1",
    "%0d%0aX-Admin: 1",
    "%00",
    "%",
    "%zz",
    "@evil.example",
    "a@evil.example:80/",
    "",
    " ",
    "\t",
    "api_key=mine",
    "$(id)",
    "\U0001f600",
    "a" * 5000,
]


class Styles(OpenapiCase):
    document, settings = style_document(), {"credentials": {"key": "ours"}}

    def written(self, location, style, explode, value):
        request = self.sent(style_name(location, style, explode), color=value)
        if location == "path":
            return request.path.split("/")[2]
        if location == "query":
            return request.query.removesuffix("&api_key=ours")
        return request.field("color" if location == "header" else "Cookie")

    def test_every_style(self):
        plain, colors, rgb = "blue", ["blue", "black"], {"R": 100, "G": 200}
        wanted = {
            ("path", "simple", False): ("blue", "blue,black", "R,100,G,200"),
            ("path", "simple", True): ("blue", "blue,black", "R=100,G=200"),
            ("path", "label", False): (".blue", ".blue,black", ".R,100,G,200"),
            ("path", "label", True): (".blue", ".blue.black", ".R=100.G=200"),
            ("path", "matrix", False): (";color=blue", ";color=blue,black", ";color=R,100,G,200"),
            ("path", "matrix", True): (";color=blue", ";color=blue;color=black", ";R=100;G=200"),
            ("query", "form", False): ("color=blue", "color=blue,black", "color=R,100,G,200"),
            ("query", "form", True): ("color=blue", "color=blue&color=black", "R=100&G=200"),
            ("query", "spaceDelimited", False): (
                "color=blue",
                "color=blue%20black",
                "color=R%20100%20G%20200",
            ),
            ("query", "pipeDelimited", False): (
                "color=blue",
                "color=blue%7Cblack",
                "color=R%7C100%7CG%7C200",
            ),
            ("query", "deepObject", True): (
                "color=blue",
                "color=blue&color=black",
                "color%5BR%5D=100&color%5BG%5D=200",
            ),
            ("header", "simple", False): ("blue", "blue,black", "R,100,G,200"),
            ("header", "simple", True): ("blue", "blue,black", "R=100,G=200"),
            ("cookie", "form", False): ("color=blue", "color=blue,black", "color=R,100,G,200"),
            ("cookie", "form", True): ("color=blue", "color=blue; color=black", "R=100; G=200"),
        }
        self.assertEqual(set(wanted), set(STYLES))
        for style, texts in wanted.items():
            with self.subTest(style):
                got = tuple(self.written(*style, value) for value in (plain, colors, rgb))
                self.assertEqual(got, texts)

    def test_nothing_escapes_its_location(self):
        """Each hostile text, alone and in lists and objects, as value and as key, everywhere."""
        for location, style, explode in STYLES:
            for text in HOSTILE:
                for value in (text, [text, "z"], {"k": text}, {text: "v"}):
                    with self.subTest(location=location, style=style, explode=explode, value=value):
                        self.one_hostile(location, style, explode, value)

    def one_hostile(self, location, style, explode, value):
        name = style_name(location, style, explode)
        before = len(self.service.seen)
        answer = stateless_call(self.gateway, f"pets__{name}", color=value, other="marker")
        if result_of(answer).get("isError"):
            self.assertIn("Invalid arguments", text_of(answer))
            self.assertEqual(len(self.service.seen), before)
            return
        self.assertEqual(len(self.service.seen), before + 1)
        request = self.service.last()
        # One request line, the header lines that we know, nothing behind them.
        head, _, rest = request.raw.partition(b"\r\n\r\n")
        self.assertEqual(rest, b"")
        self.assertNotIn(b"\n", head.replace(b"\r\n", b""))
        self.assertNotIn(b"\r", head.replace(b"\r\n", b""))
        self.assertRegex(request.line, r"^GET /[!-~]* HTTP/1\.1$")
        names = {key.lower() for key, _ in request.fields}
        extra = {"header": {"color"}, "cookie": {"cookie"}}.get(location, set())
        self.assertLessEqual(names - extra, {"host", "user-agent", "accept", "accept-encoding"})
        self.assertEqual(len(request.fields), len(names))
        self.assertEqual(request.field("Host"), f"127.0.0.1:{self.service.port}")
        # The path has the steps that it always has, and none of them leads up.
        steps = request.path.split("/")
        wanted = ["", name, None, "end"] if location == "path" else ["", name]
        self.assertEqual(len(steps), len(wanted))
        for step, known in zip(steps, wanted):
            if known is not None:
                self.assertEqual(step, known)
            else:
                self.assertNotIn(urllib.parse.unquote(step), ("", ".", ".."))
                self.assertNotIn("#", step)
        # The query has our key and the marker, each once.
        pairs = urllib.parse.parse_qsl(request.query, keep_blank_values=True)
        self.assertEqual([value for key, value in pairs if key == "api_key"], ["ours"])
        self.assertEqual([value for key, value in pairs if key == "other"], ["marker"])
        if location == "query" and isinstance(value, str):
            self.assertIn(("color", value), pairs)
            self.assertEqual(len(pairs), 3)
        if location == "path" and isinstance(value, str) and style == "simple":
            self.assertEqual(urllib.parse.unquote(steps[2]), value)

    def test_a_key_cannot_replace_another_parameter(self):
        self.assert_refused("query-form-yes", color={"api_key": "mine"})
        self.assert_refused("query-form-yes", color={"other": "mine"})
        self.assert_refused("query-form-yes", api_key="mine")

    def test_a_long_url_is_refused(self):
        self.assert_refused("query-form-yes", color="a" * 40_000)


if __name__ == "__main__":
    main()
