"""Authentication: tokens, passwords, proxies, the matrix of all routes, and what browsers may do."""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS, AuthCase, bearer, routes
from harness import (
    BOTH,
    Gateway,
    McpSession,
    fake_config,
    main,
    run,
    stateless_headers,
    stateless_message,
    wait_until,
)
from stub_server import StubServer


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


class Matrix(AuthCase):
    """Every route, with every method, without credentials."""

    def test_each_route_asks_unless_it_is_open(self):
        with Gateway({"auth": TOKENS}) as gateway:
            seen = set()
            for path, methods, is_open in routes():
                real = path.replace("/*", "/something")
                for method in (*methods, "PUT", "OPTIONS", "DELETE"):
                    with self.subTest(path=real, method=method):
                        seen.add(real)
                        with gateway.connect() as connection:
                            body = b"" if method == "POST" else None
                            got = connection.request(method, real, {}, body)
                        if is_open:
                            self.assertNotEqual(got.status, 401)
                        else:
                            self.assertEqual(got.status, 401)
                            self.assertTrue(got.header("WWW-Authenticate").startswith("Bearer "))
            self.assertGreater(len(seen), 18)

    def test_wrong_credentials_are_as_good_as_none_on_every_route(self):
        failures = {"max_failures": 1000, "window": "60s"}
        with Gateway({"auth": {**TOKENS, "failures": failures}}) as gateway:
            for path, methods, is_open in routes():
                with self.subTest(path), gateway.connect() as connection:
                    got = connection.request(
                        methods[0], path.replace("/*", "/x"), bearer("wrong" * 5), b""
                    )
                    self.assertEqual(got.status == 401, not is_open)

    def test_unknown_paths_ask_too(self):
        with Gateway({"auth": TOKENS}) as gateway:
            paths = ("/", "/nothing", "/mcp/", "/MCP", "/mcp/..", "/health/x", "/%6dcp", "//mcp")
            for path in paths:
                for method in ("GET", "POST", "BREW"):
                    with self.subTest(path=path, method=method), gateway.connect() as connection:
                        self.assertEqual(connection.request(method, path, {}).status, 401)
            with gateway.connect() as connection:
                self.assertEqual(connection.request("GET", "/nothing", bearer()).status, 404)

    def test_a_refusal_has_the_format_of_the_frontend(self):
        with Gateway({"auth": TOKENS}) as gateway:
            for path in ("/mcp", "/message", "/mcp/message", "/sse"):
                method = "GET" if path == "/sse" else "POST"
                with gateway.connect() as connection:
                    body = connection.request(method, path, {}, b"{}").json()
                self.assertEqual(body["jsonrpc"], "2.0")
                self.assertEqual(body["error"]["code"], -32005)
            got = gateway.get("/rcs/some:thing").json()
            self.assertEqual(got["error"], "Unauthorized")
            self.assertIn("authentication required", got["message"])
            self.assertIn("message", gateway.get("/mcp/v1/tools").json()["error"])
            self.assertIsInstance(gateway.get("/api/agent/skills").json()["error"], str)
            self.assertIsInstance(gateway.get("/metrics").json()["error"], str)

    def test_open_routes_reveal_little(self):
        with Gateway(fake_config(auth=TOKENS)) as gateway:
            gateway.wait_ready()
            self.assertEqual(gateway.get("/health").status, 200)
            self.assertEqual(gateway.get("/ready").json(), {"status": "ready", "upstreams": []})
            known = gateway.get("/ready", bearer()).json()
            self.assertEqual([one["name"] for one in known["upstreams"]], ["fake"])
            stranger = gateway.get("/ready", bearer("wrong-token-wrong-token"))
            self.assertEqual(stranger.json()["upstreams"], [])
            self.assertEqual(gateway.get("/metrics", bearer()).status, 200)

    def test_metrics_can_be_opened(self):
        with Gateway({"auth": {**TOKENS, "open": ["metrics"]}}) as gateway:
            self.assertEqual(gateway.get("/metrics").status, 200)
            self.assertEqual(gateway.get("/swagger-ui/index.html").status, 401)
            self.list_tools(gateway)
            self.assertEqual(gateway.metric("patchbay_auth_refused_total", reason="missing"), 2)


class Tokens(AuthCase):
    def test_a_token_lets_in_and_nothing_else_does(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assert_let_in(gateway, bearer())
            self.assert_let_in(gateway, {"Authorization": f"bearer {TOKEN}"})
            wrong = {
                "none": {},
                "other": bearer("x" * 28),
                "prefix": bearer(TOKEN[:-1]),
                "longer": bearer(TOKEN + "x"),
                "case": bearer(TOKEN.upper()),
                "empty": {"Authorization": "Bearer "},
                "no scheme": {"Authorization": TOKEN},
                "two blanks": {"Authorization": f"Bearer  {TOKEN}"},
                "other scheme": {"Authorization": f"Token {TOKEN}"},
                "two tokens": {"Authorization": f"Bearer {TOKEN}, Bearer {TOKEN}"},
                "cookie": {"Cookie": f"token={TOKEN}"},
                "as a password": basic("ci", TOKEN),
                "header of ours": {"X-Forwarded-User": "ci"},
            }
            for name, headers in wrong.items():
                with self.subTest(name):
                    self.assert_refused(gateway, headers)

    def test_two_headers_are_none(self):
        with Gateway({"auth": TOKENS}) as gateway, gateway.connect() as connection:
            fields = f"Authorization: Bearer {TOKEN}\r\n" * 2
            head = f"GET /metrics HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n"
            connection.send_raw(head.encode())
            self.assertEqual(connection.read_head().status, 400)

    def test_never_in_the_query(self):
        with Gateway({"auth": TOKENS}) as gateway:
            for name in ("access_token=", "token=", "Authorization=Bearer%20"):
                self.assertEqual(gateway.get(f"/metrics?{name}{TOKEN}").status, 401)
            self.assertNotIn(TOKEN, gateway.stderr.text())

    def test_secrets_are_in_no_log(self):
        secret = "this-secret-is-in-no-log-1234"
        with Gateway({"auth": TOKENS, "log": {"level": "debug"}}) as gateway:
            self.assert_refused(gateway, bearer(secret))
            self.assert_refused(gateway, basic("ann", secret))
            self.assert_let_in(gateway, bearer())
            gateway.stderr.wait_for("caller refused")
            gateway.stop()
            encoded = basic("ann", secret)["Authorization"].split()[1]
            for text in (secret, encoded, TOKEN):
                self.assertNotIn(text, gateway.stderr.text())

    def test_the_caller_is_named_in_the_log(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assert_let_in(gateway, bearer())
            self.assertIn("who=ci", gateway.stderr.wait_for(" call "))

    def test_a_reload_changes_the_accepted_callers(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assert_let_in(gateway, bearer())
            gateway.write_config({"auth": {"tokens": [{"name": "other", "token": OTHER}]}})
            gateway.stderr.wait_for("reloaded")
            wait_until(lambda: self.status(gateway, bearer()) == 401)
            self.assert_let_in(gateway, bearer(OTHER))

    def test_hashes_of_tokens(self):
        made = run("token", "hash", stdin="a token with blanks is none\n".replace(" ", "-"))
        text = made.stdout.strip()
        self.assertRegex(text, r"^\$scrypt\$ln=14,r=8,p=1\$")
        # Each worker has its own cache of verified credentials.
        config = {"workers": 1, "auth": {"tokens": [{"name": "ann", "hash": text}]}}
        with Gateway(config) as gateway:
            self.assert_let_in(gateway, bearer("a-token-with-blanks-is-none"))
            self.assert_refused(gateway, bearer("a-token-with-blanks-is-nonE"))
            before = gateway.get("/metrics", bearer("a-token-with-blanks-is-none"))
            self.assertIn("patchbay_auth_verified_total 1\n", before.body.decode())

    def test_bad_settings_are_refused(self):
        costly = "$scrypt$ln=30,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + "A" * 43
        table = {
            "both": ({"name": "a", "token": TOKEN, "hash": "x"}, "either token or hash"),
            "neither": ({"name": "a"}, "either token or hash"),
            "short": ({"name": "a", "token": "short"}, "at least 16"),
            "blank": ({"name": "a", "token": "a token with a blank"}, "at least 16"),
            "no hash": ({"name": "a", "hash": "5f4dcc3b5aa765d61d8327deb882cf99"}, "not the hash"),
            "costly": ({"name": "a", "hash": costly}, "not the hash"),
            "nameless": ({"token": TOKEN}, "is required"),
        }
        with tempfile.TemporaryDirectory() as folder:
            for name, (token, why) in table.items():
                with self.subTest(name):
                    path = pathlib.Path(folder, "c.json")
                    path.write_text(json.dumps({"auth": {"tokens": [token]}}), encoding="utf-8")
                    done = run("check", str(path))
                    self.assertEqual(done.returncode, 3, done.stdout)
                    self.assertIn(why, done.stderr)
                    self.assertNotIn(TOKEN, done.stderr)


class TokenFile(AuthCase):
    def token(self, *args):
        done = run("token", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_results_as_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "tokens"))
            made = json.loads(self.token("create", "ann", "--file", path, "--json"))
            hashed = json.loads(run("token", "hash", "--json", stdin=made["token"] + "\n").stdout)
            self.assertEqual(list(hashed), ["hash"])
            done = self.token("revoke", "ann", "--file", path, "--json")
            self.assertEqual(json.loads(done), {"revoked": 1})

    def test_created_listed_revoked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "tokens"))
            with Gateway({"auth": {"token_file": path}}) as gateway:
                self.assert_refused(gateway, bearer("pb_0123456789_" + "0" * 64))
                ann = self.token("create", "ann", "--role", "reader", "--file", path)
                bob = self.token("create", "bob", "--file", path)
                self.assertRegex(ann, r"^pb_[0-9a-f]{10}_[0-9a-f]{64}$")
                for made in (ann, bob):
                    wait_until(lambda: self.status(gateway, bearer(made)) == 200, "the new token")
                stored = pathlib.Path(path)
                self.assertEqual(stored.stat().st_mode & 0o777, 0o600)
                self.assertNotIn(ann, stored.read_text(encoding="utf-8"))
                listed = json.loads(self.token("list", "--json", "--file", path))
                self.assertEqual([one["name"] for one in listed], ["ann", "bob"])
                self.assertNotIn("hash", listed[0])
                self.assertIn("roles reader", self.token("list", "--file", path))
                # The id is no secret: with another secret behind it, it is nothing.
                self.assert_refused(gateway, bearer(ann[:-1] + ("0" if ann[-1] != "0" else "1")))
                self.token("revoke", "ann", "--file", path)
                wait_until(lambda: self.status(gateway, bearer(ann)) == 401, "the revocation")
                self.assert_let_in(gateway, bearer(bob))
                stored.write_text("rubbish\n", encoding="utf-8")
                gateway.stderr.wait_for("credentials not reloaded")
                self.assert_let_in(gateway, bearer(bob))

    def test_expiry(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tokens")
            token = self.token("create", "ann", "--expires", "1h", "--file", str(path))
            with Gateway({"auth": {"token_file": str(path)}}) as gateway:
                self.assert_let_in(gateway, bearer(token))
                text = path.read_text(encoding="utf-8")
                path.write_text(re.sub(r'"expires":\d+', '"expires":1000', text), encoding="utf-8")
                wait_until(lambda: self.status(gateway, bearer(token)) == 401, "the end of it")

    def test_commands_report_what_is_wrong(self):
        self.assertEqual(run("token", "revoke", "nobody", "--file", "/nonexistent/x").returncode, 1)
        self.assertEqual(run("token", "create", "ann").returncode, 3)
        self.assertEqual(run("token").returncode, 2)

    def test_a_file_that_anyone_may_write_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tokens")
            path.touch()
            path.chmod(0o666)
            config = pathlib.Path(folder, "c.json")
            config.write_text(json.dumps({"auth": {"token_file": str(path)}}), encoding="utf-8")
            done = run("check", str(config))
            self.assertEqual(done.returncode, 3)
            self.assertIn("chmod o-w", done.stderr)


class Passwords(AuthCase):
    def users(self, folder, **passwords):
        path = pathlib.Path(folder, "users")
        lines = []
        for user, password in passwords.items():
            made = subprocess.run(
                ["openssl", "passwd", "-6", password], capture_output=True, text=True, check=True
            )
            lines.append(f"{user}:{made.stdout.strip()}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def test_basic(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.users(folder, ann="secret of ann", bob="x:y")
            auth = {"basic": {"file": str(path), "roles": {"ann": ["reader"]}}}
            with Gateway({"auth": auth}) as gateway:
                self.assert_let_in(gateway, basic("ann", "secret of ann"))
                self.assert_let_in(gateway, basic("bob", "x:y"))
                got = self.assert_refused(gateway, {})
                self.assertEqual(
                    got.header("WWW-Authenticate"), 'Basic realm="patchbay", charset="UTF-8"'
                )
                for name, headers in {
                    "password": basic("ann", "secret"),
                    "nul": basic("ann", "secret of ann\0"),
                    "user": basic("carl", "secret of ann"),
                    "swapped": basic("bob", "secret of ann"),
                    "not base64": {"Authorization": "Basic !!!"},
                    "no colon": {"Authorization": "Basic YWJj"},
                    "as a token": bearer("YW5uOnNlY3JldCBvZiBhbm4="),
                }.items():
                    with self.subTest(name):
                        self.assert_refused(gateway, headers)
                # Another password counts at once, and the old one no more.
                self.users(folder, ann="another")
                wait_until(
                    lambda: self.status(gateway, basic("ann", "secret of ann")) == 401,
                    "the new password",
                )
                self.assert_let_in(gateway, basic("ann", "another"))

    def test_weak_hashes_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path, config = pathlib.Path(folder, "users"), pathlib.Path(folder, "c.json")
            auth = {"basic": {"file": str(path)}}
            config.write_text(json.dumps({"auth": auth}), encoding="utf-8")
            for hashed in ("$apr1$x$y", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "plain", "$1$a$b", ""):
                with self.subTest(hashed):
                    path.write_text(f"ann:{hashed}\n", encoding="utf-8")
                    done = run("check", str(config))
                    self.assertEqual(done.returncode, 3)
                    self.assertIn("line 1", done.stderr)


class Failures(AuthCase):
    def test_an_address_that_guesses_has_to_wait(self):
        auth = {**TOKENS, "failures": {"most": 5, "window": "1h"}, "open": ["metrics"]}
        # Each worker has its own cache of verified credentials.
        with Gateway({"workers": 1, "auth": auth}) as gateway:
            self.assert_let_in(gateway, bearer())
            for guess in range(5):
                self.assert_refused(gateway, bearer(f"guess-number-{guess:010}"))
            got = self.assert_refused(gateway, bearer("one-guess-more-0123456"), 429)
            self.assertGreater(int(got.header("Retry-After")), 3000)
            # Valid or not, nothing new is verified; cached callers continue.
            self.assert_refused(gateway, bearer(OTHER), 429)
            self.assert_let_in(gateway, bearer())
            self.assert_refused(gateway, {}, 401)
            self.assertEqual(gateway.metric("patchbay_auth_refused_total", reason="invalid"), 5)
            self.assertEqual(gateway.metric("patchbay_auth_refused_total", reason="limited"), 2)


    def test_a_command_with_a_wrong_token_is_one_attempt(self):
        auth = {**TOKENS, "failures": {"max_failures": 3, "window": "1h"}, "open": ["metrics"]}
        with Gateway({"auth": auth}) as gateway:
            for attempt in range(2):
                env = {"PATCHBAY_TOKEN": f"wrong-token-number-{attempt:010}"}
                done = run("tools", gateway.url, env=env)
                self.assertNotEqual(done.returncode, 0)
            requests = gateway.metric("patchbay_auth_refused_total", reason="invalid")
            self.assertGreater(requests, 3)  # It tries several transports.
            self.assert_let_in(gateway, bearer(OTHER))
            self.assertEqual(gateway.metric("patchbay_auth_refused_total", reason="limited"), 0)

    def test_a_user_is_locked_out_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            users = Passwords.users(self, folder, ann="right", bob="right")
            failures = {"max_failures": 2, "max_failures_per_address": 4, "window": "1h"}
            with Gateway({"auth": {"basic": {"file": str(users)}, "failures": failures}}) as gateway:
                for guess in range(2):
                    self.assert_refused(gateway, basic("ann", f"guess {guess}"))
                self.assert_refused(gateway, basic("ann", "right"), 429)
                self.assert_let_in(gateway, basic("bob", "right"))
                # Invented names do not help an attacker forever.
                for guess in range(2):
                    self.assert_refused(gateway, basic(f"user{guess}", "guess"))
                self.assert_refused(gateway, basic("carl", "guess"), 429)
                self.assert_let_in(gateway, basic("bob", "right"))

    def test_others_cannot_lock_out_a_known_caller(self):
        failures = {"most": 5, "window": "1h"}
        with Gateway({"workers": 4, "auth": {**TOKENS, "failures": failures}}) as gateway:
            self.assert_let_in(gateway, bearer())
            for guess in range(5):
                self.assert_refused(gateway, bearer(f"guess-number-{guess:010}"))
            self.assert_refused(gateway, bearer("one-guess-more-0123456"), 429)
            # Each connection may come to another worker, which has not seen the caller yet.
            for _ in range(16):
                self.assert_let_in(gateway, bearer())

    def test_nor_does_a_reload(self):
        auth = {**TOKENS, "failures": {"max_failures": 5, "window": "1h"}}
        with Gateway({"auth": auth}) as gateway:
            self.assert_let_in(gateway, bearer())
            for guess in range(5):
                self.assert_refused(gateway, bearer(f"guess-number-{guess:010}"))
            gateway.write_config({"auth": {**auth, "max_cached_credentials": 5000}})
            gateway.stderr.wait_for("reloaded")
            self.assert_let_in(gateway, bearer())
            # A value that is no longer known grants nothing.
            left = {**auth, "tokens": TOKENS["tokens"][1:]}
            gateway.write_config({"auth": left})
            wait_until(lambda: self.status(gateway, bearer()) != 200, "the token to be revoked")
            self.assert_refused(gateway, bearer(), 429)


class Proxies(AuthCase):
    def test_failures_behind_a_proxy_lock_nobody_out(self):
        proxy = {"from": ["127.0.0.0/8"], "header": "X-User"}
        auth = {"proxies": [proxy], **TOKENS, "failures": {"max_failures": 3, "window": "1h"}}
        with Gateway({"auth": auth}) as gateway:
            for guess in range(3):
                self.assert_refused(gateway, bearer(f"guess-number-{guess:010}"))
            self.assert_refused(gateway, bearer("one-guess-more-0123456"), 429)
            self.assert_let_in(gateway, {"X-User": "ann"})

    def test_a_named_proxy_is_believed_and_nobody_else(self):
        headers = {"header": "X-User", "roles_header": "X-Roles"}
        here = {"proxies": [{"from": ["127.0.0.0/8"], **headers}]}
        with Gateway({"auth": {**TOKENS, **here}}) as gateway:
            self.assert_let_in(gateway, {"X-User": "ann", "X-Roles": "reader, writer"})
            self.assertIn("who=ann", gateway.stderr.wait_for(" call "))
            self.assert_let_in(gateway, bearer())
            self.assert_refused(gateway, {})
            self.assert_refused(gateway, {"X-User": ""})
            with gateway.connect() as connection:
                connection.send_raw(
                    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-User: a\r\nX-User: b\r\n\r\n"
                )
                self.assertEqual(connection.read_head().status, 401)
        elsewhere = {"proxies": [{"from": ["10.0.0.0/8", "fd00::/8"], "header": "X-User"}]}
        with Gateway({"auth": {**TOKENS, **elsewhere}}) as gateway:
            self.assert_refused(gateway, {"X-User": "ann"})
            self.assert_let_in(gateway, {"X-User": "ann", **bearer()})
            self.assertIn("who=ci", gateway.stderr.wait_for(" call "))

    def test_settings(self):
        table = {
            "from": [{"from": ["10.0.0.0/33"]}],
            "needs from or certificate": [{"header": "X-User"}],
            "header": [{"from": ["10.0.0.1"], "header": "Authorization"}],
            "is not a name in a certificate": [{"certificate": "gateway"}],
        }
        with tempfile.TemporaryDirectory() as folder:
            for why, proxies in table.items():
                path = pathlib.Path(folder, "c.json")
                path.write_text(json.dumps({"auth": {"proxies": proxies}}), encoding="utf-8")
                done = run("check", str(path))
                self.assertEqual(done.returncode, 3, why)


class Binding(AuthCase):
    def test_the_world_is_not_served_without_authentication(self):
        done = run("serve", "--listen", "0.0.0.0:0")
        self.assertEqual(done.returncode, 3)
        self.assertIn("auth: { tokens:", done.stderr)

    def test_and_with_it_is_until_the_end(self):
        config = {"listen": "0.0.0.0:0", "auth": TOKENS}
        with Gateway(config) as gateway:
            self.assert_refused(gateway, {})
            self.assert_let_in(gateway, bearer())
            # A file that takes both back changes nothing: the listener is where it is.
            gateway.write_config({"listen": "127.0.0.1:0"})
            gateway.stderr.wait_for("reload refused")
            self.assert_refused(gateway, {})


class Sessions(AuthCase):
    def test_a_session_is_its_callers_alone(self):
        with Gateway(fake_config(auth=TOKENS)) as gateway:
            session = McpSession(gateway, headers=bearer())
            headers = {
                "Accept": BOTH,
                "Content-Type": "application/json",
                "Mcp-Session-Id": session.id,
                "MCP-Protocol-Version": "2025-11-25",
            }
            ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
            for method, body in (("POST", ping), ("GET", None), ("DELETE", None)):
                with self.subTest(method), gateway.connect() as connection:
                    stranger = {**headers, **bearer(OTHER)}
                    if method == "GET":
                        stranger["Accept"] = "text/event-stream"
                    self.assertEqual(connection.request(method, "/mcp", stranger, body).status, 404)
                    self.assertEqual(connection.request(method, "/mcp", headers, body).status, 401)
            with gateway.connect() as connection:
                got = connection.request("POST", "/mcp", {**headers, **bearer()}, ping)
                self.assertEqual(got.status, 200)

    def test_a_stream_ends_when_its_caller_is_let_in_no_more(self):
        config = {"limits": {"stream_keep_alive_interval": "100ms"}}
        with Gateway({**config, "auth": TOKENS}) as gateway, gateway.connect() as stream:
            stream.send("GET", "/sse", {"Accept": "text/event-stream", **bearer()})
            events = stream.read_head().events()
            self.assertEqual(next(events).name, "endpoint")
            others = {"tokens": [{"name": "other", "token": OTHER}]}
            gateway.write_config({**config, "auth": others})
            self.assertEqual(list(events), [])

    def test_nor_is_the_endpoint_of_an_event_stream_anybody_elses(self):
        with Gateway(fake_config(auth=TOKENS)) as gateway, gateway.connect() as stream:
            stream.send("GET", "/sse", {"Accept": "text/event-stream", **bearer()})
            endpoint = next(stream.read_head().events()).data
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            kind = {"Content-Type": "application/json"}
            for headers, status in ((bearer(OTHER), 404), ({}, 401), (bearer(), 202)):
                with gateway.connect() as connection:
                    got = connection.request("POST", endpoint, {**kind, **headers}, ping)
                    self.assertEqual(got.status, status)

    def test_the_token_stays_here(self):
        with StubServer() as stub:
            config = {
                "upstreams": {"far": {"kind": "http", "url": stub.url}},
                "auth": {**TOKENS, "proxies": [{"from": ["127.0.0.1"], "header": "X-User"}]},
            }
            with Gateway(config) as gateway:
                gateway.wait_ready()
                message = stateless_message("tools/call", {"name": "far__whoami", "arguments": {}})
                for headers in (bearer(), {"X-User": "ann", "Cookie": f"a={TOKEN}"}):
                    with gateway.connect() as connection:
                        got = connection.request(
                            "POST", "/mcp", {**stateless_headers(message), **headers}, message
                        )
                    self.assertEqual(got.status, 200, got.body)
            methods = [one.message["method"] for one in stub.seen if one.message]
            self.assertEqual(methods.count("tools/call"), 2)
            for seen in stub.seen:
                self.assertIsNone(seen.headers.get("Authorization"))
                self.assertIsNone(seen.headers.get("Cookie"))
                self.assertIsNone(seen.headers.get("X-User"))
                self.assertNotIn(TOKEN, str(seen.headers) + json.dumps(seen.message))


class Bodies(AuthCase):
    SIZE = 12 << 20

    def test_bodies_of_strangers_are_not_read(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assert_let_in(gateway, bearer())
            before = gateway.rss()
            streams = []
            for _ in range(20):
                connection = gateway.connect()
                connection.send_raw(
                    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % self.SIZE
                )
                got = connection.read_head()
                self.assertEqual(got.status, 401)
                self.assertEqual(got.header("Connection"), "close")
                streams.append(connection)
            self.assertLess(gateway.rss() - before, 8 << 20)
            for connection in streams:
                connection.close()

    def test_a_body_is_not_requested_before_authentication(self):
        with Gateway({"auth": TOKENS}) as gateway, gateway.connect() as connection:
            connection.send_raw(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                b"Content-Length: 1000\r\n\r\n"
            )
            self.assertEqual(connection.read_head().status, 401)

    def test_a_connection_stays_in_step(self):
        with Gateway({"auth": TOKENS}) as gateway, gateway.connect() as connection:
            message = stateless_message("tools/list")
            for token, status in (("", 401), (TOKEN, 200), ("x" * 20, 401), (TOKEN, 200)):
                headers = {**stateless_headers(message), **(bearer(token) if token else {})}
                got = connection.request("POST", "/mcp", headers, message)
                self.assertEqual(got.status, status)

    def test_a_chunked_body_is_not_taken_for_the_next_request(self):
        with Gateway({"auth": TOKENS}) as gateway, gateway.connect() as connection:
            hidden = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.send_raw(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + b"%x\r\n%b\r\n0\r\n\r\n" % (len(hidden), hidden)
            )
            got = connection.read_head()
            self.assertEqual(got.status, 401)
            got.read()
            self.assertEqual(connection.wait_closed(), b"")


class Browsers(AuthCase):
    CORS = {"http": {"cors": {"origins": ["https://app.example"], "headers": ["X-Trace"]}}}

    def preflight(self, gateway, origin, path="/mcp", host=None):
        headers = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, mcp-param-city, x-evil",
        }
        if host:
            headers["Host"] = host
        with gateway.connect() as connection:
            return connection.request("OPTIONS", path, headers)

    def test_a_preflight_needs_no_credentials(self):
        with Gateway({"auth": TOKENS, **self.CORS}) as gateway:
            got = self.preflight(gateway, "https://app.example")
            self.assertEqual(got.status, 204)
            self.assertEqual(got.header("Access-Control-Allow-Origin"), "https://app.example")
            self.assertEqual(got.header("Access-Control-Allow-Methods"), "POST, GET, DELETE")
            self.assertIsNone(got.header("Access-Control-Allow-Credentials"))
            allowed = got.header("Access-Control-Allow-Headers").lower()
            for name in ("authorization", "mcp-session-id", "x-trace", "mcp-param-city"):
                self.assertIn(name, allowed)
            self.assertNotIn("x-evil", allowed)
            for origin in ("https://evil.example", "null", "https://app.example.evil.example"):
                self.assertEqual(self.preflight(gateway, origin).status, 403)
            # From an origin that may call but not read: an ordinary request, and a stranger's.
            local = self.preflight(gateway, f"http://127.0.0.1:{gateway.port}")
            self.assertEqual(local.status, 401)
            self.assertIsNone(local.header("Access-Control-Allow-Origin"))

    def test_answers_and_refusals_can_be_read(self):
        with Gateway({"auth": TOKENS, **self.CORS}) as gateway:
            for headers, status in (({}, 401), (bearer(), 200)):
                got = self.list_tools(gateway, {"Origin": "https://app.example", **headers})
                self.assertEqual(got.status, status)
                self.assertEqual(got.header("Access-Control-Allow-Origin"), "https://app.example")
                exposed = got.header("Access-Control-Expose-Headers")
                self.assertIn("Mcp-Session-Id", exposed)
                self.assertIn("WWW-Authenticate", exposed)
                self.assertEqual(got.header("Vary"), "Origin")

    def test_all_origins_only_with_authentication_and_without_credentials(self):
        everyone = {"http": {"cors": {"origins": ["*"]}}}
        with Gateway({"auth": TOKENS, **everyone}) as gateway:
            got = self.preflight(gateway, "https://anything.example")
            self.assertEqual(got.status, 204)
            self.assertEqual(
                self.preflight(gateway, "https://x.example", host="evil.example").status, 403
            )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.json")
            both = {"http": {"cors": {"origins": ["*"], "credentials": True}}, "auth": TOKENS}
            for config, why in ((everyone, "any web page"), (both, "credentials")):
                path.write_text(json.dumps(config), encoding="utf-8")
                done = run("check", str(path))
                self.assertEqual(done.returncode, 3)
                self.assertIn(why, done.stderr)

    def test_rebinding_is_refused_before_anything_else(self):
        with Gateway({"auth": TOKENS}) as gateway:
            frontends = {"/mcp": "POST", "/sse": "GET", "/message": "POST", "/health": "GET"}
            for path, method in frontends.items():
                for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                    with self.subTest(path=path, **headers), gateway.connect() as connection:
                        got = connection.request(method, path, {**headers, **bearer()}, b"{}")
                        self.assertEqual(got.status, 403)


class Commands(AuthCase):
    def test_the_client_commands_show_a_token(self):
        with Gateway({"auth": TOKENS}) as gateway:
            refused = run("tools", gateway.url)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("authentication required", refused.stderr)
            for done in (
                run("tools", gateway.url, "--token", TOKEN),
                run("tools", env={"PATCHBAY_TOKEN": TOKEN, "PATCHBAY_URL": gateway.url}),
            ):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("skills__calculate", done.stdout)

    def test_programs_do_not_get_it(self):
        done = run("tools", "stdio: sh -c 'env >&2'", env={"PATCHBAY_TOKEN": TOKEN})
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(TOKEN, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
