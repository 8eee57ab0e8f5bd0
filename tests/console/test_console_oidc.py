"""Signing in to the console at an issuer: authorization code with PKCE."""

import json
import sys
import urllib.parse

sys.path.insert(1, sys.path[0] + "/../lib")

from console_session import SESSION, ConsoleCase, Page
from harness import Gateway, main, run, wait_until
from jwt_issuer import RESOURCE
from oauth_server import CLIENT
from oidc_issuer import OidcIssuer as Server
from oidc_issuer import oidc_settings

def cookies_of(response):
    """Cookies of a response, of which the raw client keeps the last alone."""
    return response.headers.get("set-cookie", "")


class OidcCase(ConsoleCase):
    def config(self, server, **oidc):
        return oidc_settings(server, **oidc)

    def begin(self, gateway, query=""):
        """(URL of the issuer, cookie) when somebody goes to sign in."""
        response = gateway.get("/console/api/oidc" + query)
        self.assertEqual(response.status, 303)
        cookie = response.header("Set-Cookie")
        return response.header("Location"), cookie and cookie.split(";")[0]

    def visit(self, url):
        """Where the issuer sends the browser, as a path."""
        import http.client

        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
        connection.request("GET", f"{parts.path}?{parts.query}")
        location = connection.getresponse().getheader("Location")
        connection.close()
        parts = urllib.parse.urlsplit(location)
        return f"{parts.path}?{parts.query}"

    def come_back(self, gateway, path, cookie):
        """(fragment of the page, session cookie) after the way back."""
        fields = {
            "Cookie": cookie or "",
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        }
        with gateway.connect() as connection:
            connection.send("GET", path, fields)
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.socket.recv(4096)
        lines = head.decode().split("\r\n")
        self.assertIn(" 303 ", lines[0])
        found = [line.split(": ", 1)[1] for line in lines if line.startswith("Set-Cookie")]
        location = next(line.split(": ", 1)[1] for line in lines if line.startswith("Location"))
        return location, found

    def sign_in(self, gateway, query=""):
        url, cookie = self.begin(gateway, query)
        return self.come_back(gateway, self.visit(url), cookie)


class SignIn(OidcCase):
    def test_the_whole_way(self):
        with Server() as server, Gateway(self.config(server)) as gateway:
            self.assertEqual(Page(gateway).state()["methods"], ["token", "oidc"])
            url, cookie = self.begin(gateway, "?to=/console/calls")
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
            self.assertEqual(asked["code_challenge_method"], "S256")
            self.assertEqual(asked["redirect_uri"], f"http://127.0.0.1:{gateway.port}/console/api/oidc/callback")
            self.assertEqual((asked["client_id"], asked["resource"]), (CLIENT, RESOURCE))
            self.assertNotIn(asked["state"], cookie)
            location, cookies = self.come_back(gateway, self.visit(url), cookie)
            self.assertTrue(location.startswith("/console/calls#csrf="), location)
            self.assertEqual(len(cookies), 2)
            self.assertIn("_oidc=; Path=/; Max-Age=0", cookies[0])
            self.assertIn("HttpOnly; SameSite=Strict", cookies[1])
            page = Page(gateway)
            name, _, rest = cookies[1].partition("=")
            page.cookie, page.csrf = {name: rest.split(";")[0]}, location.partition("csrf=")[2]
            state = page.state()
            self.assertEqual((state["auth"], state["caller"], state["admin"]), ("oidc", "ann", True))
            self.assertEqual(page.status(), 200)
            # The session ends with the token at the latest.
            self.assertLess(state["expires"], page_end())
            self.assertEqual(page.request("DELETE", SESSION).status, 200)
            self.assertEqual(page.status(), 401)

    def test_only_views_of_the_console(self):
        with Server() as server, Gateway(self.config(server)) as gateway:
            for to in ("//evil.example/", "https://evil.example", "/mcp", "/console/%0d%0aX:y", "/console/%22", "/console/%5c%5cx"):
                location, _ = self.sign_in(gateway, "?to=" + to)
                self.assertTrue(location.startswith("/console/#csrf="), (to, location))

    def test_no_way_back_without_the_way_there(self):
        with Server() as server, Gateway(self.config(server)) as gateway:
            url, cookie = self.begin(gateway)
            _, others = self.begin(gateway)
            back = self.visit(url)
            for path, brought in (
                (back, None),
                (back, others),
                (back, cookie[:-4] + "AAAA"),
                (back.replace("state=", "state=0"), cookie),
                ("/console/api/oidc/callback", cookie),
                ("/console/api/oidc/callback?state=a&state=b", cookie),
                (back.split("?")[0] + "?error=access_denied&" + back.split("?")[1].replace("code=", "x="), cookie),
            ):
                location, cookies = self.come_back(gateway, path, brought)
                self.assertTrue(location.startswith("/console/#sign_in_error="), (path, location))
                self.assertFalse([one for one in cookies if "SameSite=Strict" in one])
            self.assertEqual(server.grants("authorization_code"), [])

    def test_tokens_that_are_not_for_this_gateway(self):
        with Server() as server, Gateway(self.config(server)) as gateway:
            for claims in ({"aud": "https://other.example"}, {"iss": "https://other.example"}, {"exp": 1000}):
                server.claims = claims
                location, cookies = self.sign_in(gateway)
                self.assertIn("is%20not%20accepted%20here", location)
                self.assertFalse([one for one in cookies if "SameSite=Strict" in one])

    def test_an_issuer_that_is_down(self):
        with Server() as server:
            config = self.config(server)
            with Gateway(config) as gateway:
                server.on["/.well-known/oauth-authorization-server"] = lambda exchange: exchange.answer(500)
                location, cookie = self.begin(gateway)
                self.assertTrue(location.startswith("/console/#sign_in_error="), location)
                self.assertIsNone(cookie)
                del server.on["/.well-known/oauth-authorization-server"]
                wait_until(lambda: self.begin(gateway)[1], "the issuer")

    def test_an_issuer_without_pkce(self):
        with Server(code_challenge_methods_supported=["plain"]) as server:
            with Gateway(self.config(server)) as gateway:
                location, _ = self.begin(gateway)
                self.assertIn("PKCE", location)

    def test_another_issuer_answers(self):
        with Server() as server, Gateway(self.config(server)) as gateway:
            server.sends_iss = "wrong"
            location, _ = self.sign_in(gateway)
            self.assertIn("another%20authorization%20server", location)
            self.assertEqual(server.grants("authorization_code"), [])


class Configuration(OidcCase):
    def check(self, config):
        with Gateway({}) as gateway:
            path = gateway.config_path.with_name("other.yaml")
            path.write_text(json.dumps(config), encoding="utf-8")
            return run("check", str(path))

    def test_what_cannot_be_used_is_named(self):
        with Server() as server:
            config = self.config(server)
            self.assertEqual(self.check(config).returncode, 0)
            oidc = config["console"]["oidc"]
            for change, named in (
                ({"issuer": "https://other.example"}, "console.oidc.issuer"),
                ({"client_id": None}, "console.oidc.client_id"),
                ({"ca": "/nonexistent.pem"}, "console.oidc.ca"),
            ):
                changed = {key: value for key, value in {**oidc, **change}.items() if value is not None}
                done = self.check({**config, "console": {"oidc": changed}})
                self.assertNotEqual(done.returncode, 0, change)
                self.assertIn(named.rpartition(".")[2], done.stdout + done.stderr)
            done = self.check({"console": config["console"]})
            self.assertIn("auth.jwt", done.stdout + done.stderr)

    def test_without_it_there_is_nothing(self):
        with Gateway({}) as gateway:
            self.assertEqual(gateway.get("/console/api/oidc").status, 404)


def page_end():
    import datetime

    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=700)
    return later.strftime("%Y-%m-%dT%H:%M:%S")


if __name__ == "__main__":
    main()
