"""The files of the console: headers, caching, compression, and the way from / to them."""

import gzip
import re
import sys
import tempfile
import pathlib
import subprocess

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKENS, AuthCase, bearer
from harness import ROOT, Gateway, main

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class Files(AuthCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway({}))
        index = cls.gateway.get("/console/")
        if index.status == 404:
            cls.built = False
            return
        cls.built = True
        cls.script = re.search(rb'src="(?:/console/)?(assets/[^"]+\.js)"', index.body).group(1).decode()

    def request(self, path, headers=None, method="GET"):
        with self.gateway.connect() as connection:
            return connection.request(method, path, headers or {})

    def need_files(self):
        if not self.built:
            self.skipTest("the console is not in this build")

    def test_security_headers(self):
        for path in ("/console/", "/console/calls/abc", "/console/no.such.file"):
            response = self.request(path)
            policy = response.header("Content-Security-Policy")
            self.assertIn("default-src 'none'", policy)
            self.assertIn("script-src 'self';", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(response.header("X-Content-Type-Options"), "nosniff")
            self.assertEqual(response.header("X-Frame-Options"), "DENY")
            self.assertEqual(response.header("Referrer-Policy"), "no-referrer")
            self.assertEqual(response.header("Cross-Origin-Opener-Policy"), "same-origin")
            self.assertEqual(response.header("Cross-Origin-Resource-Policy"), "same-origin")

    def test_nothing_is_inline_and_nothing_comes_from_elsewhere(self):
        self.need_files()
        page = self.request("/console/").body.decode()
        self.assertNotRegex(page, r"<script(?![^>]* src=)")
        self.assertNotRegex(page, r"<style|\sstyle=|\son\w+=|https?://|//cdn")

    def test_every_view_is_the_same_page(self):
        self.need_files()
        page = self.request("/console/").body
        for path in ("/console/index.html", "/console/calls", "/console/calls/4bf92f", "/console/a/b/c"):
            response = self.request(path)
            self.assertEqual((response.status, response.body), (200, page), path)
            self.assertEqual(response.header("Cache-Control"), "no-cache")
        for path in ("/console/missing.js", "/console/assets/x-1.js", "/console/api/nothing", "/console/api/"):
            self.assertEqual(self.request(path).status, 404, path)

    def test_compressed_where_that_is_accepted(self):
        self.need_files()
        path = "/console/" + self.script
        plain = self.request(path)
        self.assertIsNone(plain.header("Content-Encoding"))
        self.assertEqual(plain.header("Vary"), "Accept-Encoding")
        for accept in ("gzip", "br, gzip;q=0.5", "deflate,GZIP"):
            packed = self.request(path, {"Accept-Encoding": accept})
            self.assertEqual(packed.header("Content-Encoding"), "gzip", accept)
            self.assertEqual(gzip.decompress(packed.body), plain.body)
            self.assertLess(len(packed.body), len(plain.body))
            self.assertNotEqual(packed.header("ETag"), plain.header("ETag"))
        for accept in ("gzip;q=0", "gzip;q=0.000", "br", "identity", "x-gzipped"):
            self.assertIsNone(self.request(path, {"Accept-Encoding": accept}).header("Content-Encoding"))

    def test_caching(self):
        self.need_files()
        hashed = self.request("/console/" + self.script)
        self.assertEqual(hashed.header("Cache-Control"), "public, max-age=31536000, immutable")
        self.assertEqual(hashed.content_type, "text/javascript")
        index = self.request("/console/")
        again = self.request("/console/", {"If-None-Match": index.header("ETag")})
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(again.header("ETag"), index.header("ETag"))
        head = self.request("/console/", method="HEAD")
        self.assertEqual((head.status, head.header("ETag")), (200, index.header("ETag")))
        self.assertEqual(head.header("Content-Length"), str(len(index.body)))

    def test_methods(self):
        for method in ("POST", "PUT", "DELETE"):
            self.assertEqual(self.request("/console/", method=method).status, 405, method)

    def test_a_browser_is_led_from_the_root(self):
        for method in ("GET", "HEAD"):
            response = self.request("/", HTML, method)
            self.assertEqual((response.status, response.header("Location")), (302, "/console/"))
        response = self.request("/console", HTML)
        self.assertEqual((response.status, response.header("Location")), (302, "/console/"))
        for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
            self.assertEqual(self.request("/", headers).status, 404)
        self.assertEqual(self.request("/", HTML, "POST").status, 404)

    def test_a_page_of_another_host_does_not_get_in(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            self.assertEqual(self.request("/console/", headers).status, 403)


class Access(AuthCase):
    def test_the_page_is_open_and_the_root_is_no_hole(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assertNotEqual(gateway.get("/console/").status, 401)
            self.assertEqual(gateway.get("/", HTML).status, 302)
            self.assertEqual(gateway.get("/").status, 401)
            self.assertEqual(gateway.get("/", bearer("wrong" * 5)).status, 401)
            self.assertEqual(gateway.get("/", bearer()).status, 404)

    def test_it_can_be_turned_off(self):
        off = {"console": {"enabled": False}}
        with Gateway(off) as gateway:
            for path in ("/", "/console", "/console/", "/console/api/session", "/console/api/oidc"):
                self.assertEqual(gateway.get(path, HTML).status, 404, path)
        with Gateway({"auth": TOKENS, **off}) as gateway:
            for path in ("/", "/console/", "/console/api/session", "/console/api/oidc"):
                self.assertEqual(gateway.get(path, HTML).status, 401, path)


class Tool(AuthCase):
    def test_the_table_is_the_same_for_the_same_files(self):
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name, "dist")
            source.mkdir()
            (source / "index.html").write_text("<!doctype html>" * 100, encoding="utf-8")
            made = []
            for out in ("a", "b"):
                out = pathlib.Path(name, out)
                command = [sys.executable, ROOT / "tools/web_assets", "x", out, source]
                subprocess.run(command, check=True)
                text = (out / "assets.inc").read_text(encoding="utf-8").replace(str(out), "")
                made.append((text, (out / "0.gz").read_bytes()))
            self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    main()
