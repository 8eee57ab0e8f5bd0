"""JSON Web Tokens: what is accepted, every known forgery, and issuers that misbehave."""

import base64
import hashlib
import hmac
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKEN, TOKENS, AuthCase, bearer
from harness import TIMEOUT, Gateway, McpSession, main, run, wait_until
from jwt_issuer import RESOURCE, Issuer, Key, b64

METADATA = "/.well-known/oauth-protected-resource"
PATIENT = {"failures": {"max_failures": 100000, "window": "60s"}}


def config(issuer, scopes=None, **more):
    return {"auth": {**issuer.auth(scopes, **more), **PATIENT, "open": ["metrics"]}}


class Accepted(AuthCase):
    def test_every_algorithm(self):
        pem = Key("shared", "RS256").pem
        keys = [
            Key(f"key {kind}{bits}", f"{kind}{bits}", None if kind == "ES" else pem)
            for kind in ("RS", "PS", "ES")
            for bits in (256, 384, 512)
        ]
        keys.append(Key("key EdDSA", "EdDSA"))
        with Issuer(*keys) as issuer, Gateway(config(issuer)) as gateway:
            for key in keys:
                with self.subTest(key.alg):
                    self.assert_let_in(gateway, bearer(issuer.token(key)))
                    wrong = issuer.token(key)[:-8] + "AAAAAAAA"
                    self.assert_refused(gateway, bearer(wrong))
            self.assertEqual(issuer.asked, 1)

    def test_identity(self):
        claims = {"name": "email", "roles": "/realm/roles", "scopes": "scp"}
        with Issuer(Key("a", "ES256")) as issuer, Gateway(config(issuer, claims=claims)) as gateway:
            token = issuer.token(
                email="ann@example.org",
                realm={"roles": ["reader"]},
                scp=["tools"],
                aud=["x", RESOURCE],
            )
            self.assert_let_in(gateway, bearer(token))
            self.assertIn("who=ann@example.org", gateway.stderr.wait_for(" call "))
            self.assert_refused(gateway, bearer(issuer.token()))

    def test_a_signed_token_is_no_guess(self):
        few = {"failures": {"max_failures": 3, "window": "1h"}}
        with Issuer(Key("a", "ES256")) as issuer:
            with Gateway({"auth": {**issuer.auth(None), **few}}) as gateway:
                for guess in range(3):
                    self.assert_refused(gateway, bearer(f"guess-number-{guess:010}"))
                self.assert_refused(gateway, bearer("one-guess-more-0123456"), 429)
                self.assert_let_in(gateway, bearer(issuer.token()))
                wrong = issuer.token()[:-8] + "AAAAAAAA"
                self.assert_refused(gateway, bearer(wrong))

    def test_verified_once(self):
        with Issuer(Key("a", "ES256")) as issuer, Gateway(config(issuer)) as gateway:
            token = bearer(issuer.token())
            for _ in range(5):
                self.assert_let_in(gateway, token)
            workers = gateway.metric("patchbay_auth_verified_total")
            for _ in range(20):
                self.assert_let_in(gateway, token)
            # Each worker verifies it for itself, and no more often.
            self.assertLessEqual(gateway.metric("patchbay_auth_verified_total"), max(workers, 64))
            self.assertEqual(issuer.asked, 1)

    def test_an_expired_token_is_not_remembered(self):
        with Issuer(Key("a", "EdDSA")) as issuer, Gateway(config(issuer, leeway="0")) as gateway:
            token = bearer(issuer.token(exp=int(time.time()) + 3))
            self.assert_let_in(gateway, token)
            wait_until(lambda: self.status(gateway, token) == 401, "the end of the token")
            self.assertIn("expired", self.assert_refused(gateway, token).header("WWW-Authenticate"))

    def test_a_stream_ends_with_its_token(self):
        keep_alive = {"limits": {"stream_keep_alive_interval": "100ms"}}
        with Issuer(Key("a", "EdDSA")) as issuer:
            with Gateway({**config(issuer, leeway="0"), **keep_alive}) as gateway:
                token = bearer(issuer.token(exp=int(time.time()) + 4))
                session = McpSession(gateway, headers=token)
                streams = {
                    "/mcp": session.headers(Accept="text/event-stream"),
                    "/sse": {"Accept": "text/event-stream", **token},
                }
                opened = []
                for path, headers in streams.items():
                    connection = self.enterContext(gateway.connect())
                    connection.send("GET", path, headers)
                    opened.append(connection.read_head())
                for response in opened:
                    self.assertEqual(response.status, 200)
                    list(response.events())

    def test_beside_other_methods(self):
        with Issuer(Key("a", "EdDSA")) as issuer:
            auth = {**issuer.auth(), **TOKENS}
            with Gateway({"auth": auth}) as gateway:
                self.assert_let_in(gateway, bearer())
                self.assert_let_in(gateway, bearer(issuer.token()))
                self.assert_refused(gateway, bearer("no.such.token-anywhere"))


class Attacks(AuthCase):
    def setUp(self):
        self.key, self.evil = Key("good", "RS256"), Key("good", "RS256")
        self.ec = Key("curve", "ES256")
        self.issuer = self.enterContext(Issuer(self.key, self.ec))
        self.gateway = self.enterContext(Gateway(config(self.issuer)))
        self.assert_let_in(self.gateway, bearer(self.issuer.token()))

    def refuse_all(self, table):
        for name, token in table.items():
            with self.subTest(name):
                self.assert_refused(self.gateway, bearer(token))
        self.assert_let_in(self.gateway, bearer(self.issuer.token()))
        log = self.gateway.stderr.text()
        for token in table.values():
            self.assertNotIn(token[-30:], log)

    def unsigned(self, alg, signature="", **header):
        head = {"alg": alg, "typ": "JWT", "kid": "good", **header}
        return f"{b64(head)}.{b64(self.issuer.claims())}.{signature}"

    def hmac_with(self, secret, kid="good"):
        text = f"{b64({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{b64(self.issuer.claims())}"
        return f"{text}.{b64(hmac.digest(secret, text.encode(), hashlib.sha256))}"

    def test_algorithms(self):
        claims = self.issuer.claims()
        self.refuse_all(
            {
                "none": self.unsigned("none"),
                "none with a signature": self.unsigned("none", "AAAA"),
                "None": self.unsigned("None"),
                "nOnE": self.unsigned("nOnE"),
                "empty": self.unsigned(""),
                "no alg": self.key.token(claims, {"alg": None}),
                "list": self.key.token(claims, {"alg": ["RS256"]}),
                "lower case": self.key.token(claims, {"alg": "rs256"}),
                "HS256 with the public key": self.hmac_with(self.key.public_pem()),
                "HS256 with the same, bare": self.hmac_with(self.key.der),
                "HS256 with nothing": self.hmac_with(b""),
                "PS256 with a key for RS256": self.key.token(claims, alg="PS256"),
                "RS512 with a key for RS256": self.key.token(claims, alg="RS512"),
                "RS256 named, EC key": self.ec.token(claims, {"alg": "RS256"}),
                "ES256 named, RSA key": self.key.token(claims, {"alg": "ES256"}),
                "EdDSA named, RSA key": self.key.token(claims, {"alg": "EdDSA"}),
            }
        )

    def test_keys_that_come_along(self):
        claims, evil = self.issuer.claims(), self.evil
        with Issuer(self.evil) as other:
            url = f"{other.url}/jwks"
            self.refuse_all(
                {
                    "jwk": evil.token(claims, {"jwk": evil.jwk()}),
                    "jku": evil.token(claims, {"jku": url}),
                    "x5u": evil.token(claims, {"x5u": url}),
                    "x5c": evil.token(claims, {"x5c": [base64.b64encode(evil.der).decode()]}),
                    "another kid and jwk": evil.token(
                        claims, {"kid": "evil", "jwk": evil.jwk(kid="evil")}
                    ),
                    "plain forgery": evil.token(claims),
                    "another issuer": evil.token(claims | {"iss": other.url}),
                }
            )
            self.assertEqual(other.asked, 0)

    def test_kid(self):
        claims = self.issuer.claims()
        names = ["../../../../dev/null", "/dev/null", "' OR 1=1 --", "good\u0000", "good ", "GOOD"]
        names.append("x" * 300)
        table = {name: self.evil.token(claims, {"kid": name}) for name in names}
        table |= {
            "number": self.key.token(claims, {"kid": 7}),
            "list": self.key.token(claims, {"kid": ["good"]}),
            "null": self.unsigned("RS256", "AAAA", kid=None),
            "of the other key": self.key.token(claims, {"kid": "curve"}),
        }
        self.refuse_all(table)

    def test_claims(self):
        now, token = int(time.time()), self.issuer.token
        self.refuse_all(
            {
                "expired": token(exp=now - 120),
                "no exp": token(exp=None),
                "exp as text": token(exp=str(now + 600)),
                "exp beyond all": token(exp=1e300),
                "negative exp": token(exp=-5),
                "nbf in the future": token(nbf=now + 600),
                "iat in the future": token(iat=now + 600),
                "nbf as text": token(nbf="0"),
                "no aud": token(aud=None),
                "other aud": token(aud="https://other.example/mcp"),
                "aud with a slash": token(aud=RESOURCE + "/"),
                "prefix of aud": token(aud="https://gateway.example"),
                "aud in upper case": token(aud=RESOURCE.upper()),
                "empty list": token(aud=[]),
                "aud as an object": token(aud={"0": RESOURCE}),
                "nested": token(aud=[[RESOURCE]]),
                "no iss": token(iss=None),
                "other iss": token(iss="https://other.example"),
                "iss with a slash": token(iss=self.issuer.url + "/"),
                "iss as a list": token(iss=[self.issuer.url]),
                "no sub": token(sub=None),
                "empty sub": token(sub=""),
                "sub as a number": token(sub=7),
            }
        )
        self.assert_let_in(self.gateway, bearer(token(exp=now - 10, nbf=now + 10)))

    def test_types(self):
        token = self.issuer.token
        self.refuse_all(
            {
                "id token": token(header={"typ": "id+jwt"}),
                "logout token": token(header={"typ": "logout+jwt"}),
                "dpop": token(header={"typ": "dpop+jwt"}),
                "no text": token(header={"typ": 7}),
                "crit": token(header={"crit": ["exp"], "exp": 1}),
                "empty crit": token(header={"crit": []}),
                "b64": token(header={"b64": False, "crit": ["b64"]}),
            }
        )
        for kind in ("JWT", "jwt", "at+jwt", "application/at+jwt", None):
            self.assert_let_in(self.gateway, bearer(token(header={"typ": kind})))

    def signed(self, head, claims):
        """With raw texts instead of JSON that Python would write."""
        text = f"{b64(head)}.{b64(claims)}"
        return f"{text}.{b64(self.key.sign(text.encode()))}"

    def test_shape(self):
        good = self.issuer.token()
        head, body, signature = good.split(".")
        claims = json.dumps(self.issuer.claims())
        plain = b'{"alg":"RS256","kid":"good"}'
        twice = claims.replace('"sub": "ann"', '"sub": "ann", "sub": "root"').encode()
        escaped = claims.replace('"sub": "ann"', '"sub": "ann", "s\\u0075b": "root"').encode()
        self.refuse_all(
            {
                "trailing junk": good + "junk",
                "a part more": good + ".AAAA",
                "a part less": f"{head}.{body}",
                "no signature": f"{head}.{body}.",
                "no payload": f"{head}..{signature}",
                "padding": good + "=",
                "standard alphabet": f"{head}.{body}.{'+' + signature[1:]}",
                "loose bits": good[:-1] + chr(ord(good[-1]) + 1),
                "blank": f"{head}.{body[:10]}%20{body[10:]}.{signature}",
                "claim twice": self.signed(plain, twice),
                "claim twice, escaped": self.signed(plain, escaped),
                "header twice": self.signed(
                    b'{"alg":"RS256","alg":"RS256","kid":"good"}', claims.encode()
                ),
                "payload a list": self.signed(plain, b"[]"),
                "payload text": self.signed(plain, b"hello"),
                "two payloads": self.signed(plain, claims.encode() + claims.encode()),
                "deep": self.signed(plain, b'{"a":' + b"[" * 1000 + b"]" * 1000 + b"}"),
                "not UTF-8": self.signed(plain, claims.encode()[:-1] + b',"x":"\xff"}'),
                "long number": self.signed(
                    plain, claims.encode()[:-1] + b',"x":' + b"1" * 5000 + b"}"
                ),
                "header a list": self.signed(b"[]", claims.encode()),
            }
        )

    def test_size(self):
        """Just too large for a credential, and then too large for a header field."""
        padding = 11_000
        while len(token := self.issuer.token(padding="x" * padding)) <= 16 * 1024:
            padding += 32
        self.assert_refused(self.gateway, bearer(token))
        token = self.issuer.token(padding="x" * 40_000)
        self.assert_refused(self.gateway, bearer(token), 431)

    def test_signatures_of_nothing(self):
        order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
        text = f"{b64({'alg': 'ES256', 'kid': 'curve'})}.{b64(self.issuer.claims())}"
        number = {"0": 0, "1": 1, "n": order, "n+1": order + 1}
        table = {
            f"{r}, {s}": f"{text}.{b64(b''.join(number[n].to_bytes(32, 'big') for n in (r, s)))}"
            for r in number
            for s in number
        }
        table["short"] = f"{text}.{b64(bytes(10))}"
        table["one byte more"] = f"{text}.{b64(self.ec.sign(text.encode()) + bytes(1))}"
        self.refuse_all(table)


class ResourceServer(AuthCase):
    def test_the_metadata_and_the_challenge_lead_to_each_other(self):
        issuer = self.enterContext(Issuer(Key("a", "ES256")))
        with Gateway(config(issuer, ["tools", "files"])) as gateway:
            for path in (METADATA, METADATA + "/mcp"):
                got = gateway.get(path)
                self.assertEqual(got.status, 200)
                self.assertEqual(
                    got.json(),
                    {
                        "resource": RESOURCE,
                        "authorization_servers": [issuer.url],
                        "scopes_supported": ["tools", "files"],
                        "bearer_methods_supported": ["header"],
                        "resource_name": "Patchbay",
                    },
                )
            self.assertEqual(gateway.get(METADATA + "/other").status, 404)
            challenge = self.assert_refused(gateway, {}).header("WWW-Authenticate")
            self.assertIn(f'resource_metadata="https://gateway.example{METADATA}/mcp"', challenge)
            self.assertIn('scope="tools files"', challenge)
            self.assertNotIn("error=", challenge)
            wrong = self.assert_refused(gateway, bearer("x.y.z")).header("WWW-Authenticate")
            self.assertIn('error="invalid_token"', wrong)

    def test_scopes(self):
        issuer = self.enterContext(Issuer(Key("a", "ES256")))
        with Gateway(config(issuer, ["tools", "files"])) as gateway:
            got = self.assert_refused(gateway, bearer(issuer.token(scope="tools")), 403)
            challenge = got.header("WWW-Authenticate")
            self.assertIn('error="insufficient_scope"', challenge)
            self.assertIn('scope="tools files"', challenge)
            self.assertIn("resource_metadata=", challenge)
            self.assertEqual(got.json()["error"]["code"], -32004)
            self.assert_let_in(gateway, bearer(issuer.token(scope="other files tools")))
            self.assertEqual(gateway.metric("patchbay_auth_refused_total", reason="scope"), 1)

    def test_no_authorization_server_no_metadata(self):
        with Gateway({"auth": TOKENS}) as gateway:
            self.assertEqual(gateway.get(METADATA).status, 404)

    def test_settings(self):
        issuer = {"issuer": "https://a.example", "jwks": "https://a.example/jwks"}
        table = {
            "is required with jwt": {"jwt": [issuer]},
            "is no URI": {"jwt": [issuer], "resource": "gateway.example/mcp"},
            "without a slash": {"jwt": [issuer], "resource": "https://gateway.example/"},
            "use https": {
                "jwt": [{**issuer, "jwks": "http://a.example/jwks"}],
                "resource": RESOURCE,
            },
            "is none of": {"jwt": [{**issuer, "algorithms": ["HS256"]}], "resource": RESOURCE},
            "there twice": {"jwt": [issuer, issuer], "resource": RESOURCE},
            "leeway": {"jwt": [{**issuer, "leeway": "2m"}], "resource": RESOURCE},
        }
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "c.json")
            for why, auth in table.items():
                with self.subTest(why):
                    path.write_text(json.dumps({"auth": auth}), encoding="utf-8")
                    done = run("check", str(path))
                    self.assertEqual(done.returncode, 3)
                    self.assertIn(why, done.stderr)


class Keys(AuthCase):
    """What the issuer publishes, and how it fails."""

    def test_rotation_under_load(self):
        old, new = Key("old", "ES256"), Key("new", "ES256")
        with Issuer(old) as issuer, Gateway(config(issuer)) as gateway:
            tokens = [issuer.token(old, sub=f"user {i}") for i in range(8)]
            statuses, stop = [], threading.Event()

            def load():
                while not stop.is_set():
                    for token in list(tokens):
                        statuses.append(self.status(gateway, bearer(token)))

            threads = [threading.Thread(target=load) for _ in range(4)]
            for thread in threads:
                thread.start()
            issuer.keys = [old, new]
            tokens += [issuer.token(new, sub=f"user {i}") for i in range(8)]
            wait_until(lambda: len(statuses) > 400)
            stop.set()
            for thread in threads:
                thread.join(TIMEOUT)
            self.assertEqual(set(statuses), {200})
            self.assertLessEqual(issuer.asked, 3)

    def test_a_key_that_is_withdrawn_counts_no_more(self):
        old, new = Key("old", "ES256"), Key("new", "ES256")
        with Issuer(old) as issuer, Gateway(config(issuer, refetch_interval="100ms")) as gateway:
            token = bearer(issuer.token(old))
            self.assert_let_in(gateway, token)
            issuer.keys = [new]
            wait_until(lambda: self.status(gateway, bearer(issuer.token(new))) == 200)
            self.assert_refused(gateway, token)

    def test_a_storm_of_unknown_keys_is_one_fetch(self):
        with Issuer(Key("a", "ES256")) as issuer, Gateway(config(issuer)) as gateway:
            self.assert_let_in(gateway, bearer(issuer.token()))
            evil = Key("evil", "ES256")
            for i in range(30):
                self.assert_refused(gateway, bearer(issuer.token(evil, {"kid": f"kid {i}"})))
            self.assertEqual(issuer.asked, 2)
            self.assert_let_in(gateway, bearer(issuer.token()))

    def test_an_outage_is_survived_for_a_while(self):
        key = Key("a", "ES256")
        settings = {"refresh_interval": "1s", "max_stale": "4s", "refetch_interval": "1s"}
        with Issuer(key) as issuer, Gateway(config(issuer, **settings)) as gateway:
            self.assert_let_in(gateway, bearer(issuer.token(sub="first")))
            issuer.answer = 500
            failed = lambda: gateway.metric("patchbay_jwks_fetches_total", outcome="failed")
            numbers = iter(range(100_000))

            def fresh():
                return self.status(gateway, bearer(issuer.token(sub=f"user {next(numbers)}")))

            seen = []
            wait_until(lambda: seen.append(fresh()) or failed() > 0)
            self.assertEqual(set(seen), {200})
            wait_until(lambda: fresh() == 503, "the keys to be too old")
            issuer.answer = None
            wait_until(lambda: fresh() == 200, "the issuer to be back")

    def test_down_from_the_start(self):
        key = Key("a", "ES256")
        with Issuer(key) as issuer:
            issuer.answer = 503
            with Gateway(config(issuer)) as gateway:
                got = self.assert_refused(gateway, bearer(issuer.token()), 503)
                self.assertIn("Retry-After", {name.title() for name in got.headers})
                issuer.answer = None
                wait_until(lambda: self.status(gateway, bearer(issuer.token())) == 200)

    def misbehave(self, reply, **settings):
        """No caller is accepted, none waits forever, and the gateway keeps working."""
        with Issuer(Key("a", "ES256")) as issuer:
            issuer.answer = reply
            auth = {**issuer.auth(fetch_timeout="300ms", **settings), **TOKENS, **PATIENT}
            with Gateway({"auth": auth}) as gateway:
                before = gateway.rss()
                self.assert_refused(gateway, bearer(issuer.token()), 503)
                self.assert_let_in(gateway, bearer(TOKEN))
                self.assertLess(gateway.rss() - before, 24 << 20)

    def test_slow_answers(self):
        done = threading.Event()
        self.addCleanup(done.set)

        def never(exchange):
            exchange.send_response(200)
            exchange.end_headers()
            while not done.wait(0.05):
                exchange.wfile.write(b" ")

        def silent(_):
            done.wait(TIMEOUT)

        self.misbehave(never)
        self.misbehave(silent)

    def test_huge_answers(self):
        def flood(exchange):
            exchange.send_response(200)
            exchange.end_headers()
            try:
                for _ in range(1024):
                    exchange.wfile.write(b" " * (1 << 20))
            except OSError:
                pass

        self.misbehave(flood, max_response_size="1MiB")

    def test_useless_answers(self):
        key = Key("a", "ES256")
        rsa = Key("a", "RS256").jwk()

        def published(*keys):
            return json.dumps({"keys": keys}).encode()

        table = {
            "rubbish": b"rubbish",
            "a list": b"[]",
            "no keys": published(),
            "keys twice": b'{"keys":[],"keys":[]}',
            "too many": published(*(key.jwk(kid=str(i)) for i in range(101))),
            "only a secret": published({"kty": "oct", "k": "AAAA", "kid": "a", "alg": "HS256"}),
            "for encryption": published(key.jwk(use="enc")),
            "a short modulus": published(rsa | {"n": b64(b"\xff" * 64)}),
            "an even exponent": published(rsa | {"e": "Ag"}),
            "off the curve": published(key.jwk(x=b64(bytes(32)))),
        }
        for name, answer in table.items():
            with self.subTest(name):
                self.misbehave(answer)

    def test_a_redirect_is_not_followed(self):
        with Issuer(Key("evil", "ES256")) as other:

            def elsewhere(exchange):
                exchange.send_response(302)
                exchange.send_header("Location", f"{other.url}/jwks")
                exchange.send_header("Content-Length", "0")
                exchange.end_headers()

            self.misbehave(elsewhere)
            self.assertEqual(other.asked, 0)


if __name__ == "__main__":
    main()
