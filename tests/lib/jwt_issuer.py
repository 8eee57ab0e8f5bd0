"""An authorization server for tests: makes keys and JSON Web Tokens, and publishes its keys.

Keys and signatures come from the openssl program, so that nothing of ours checks itself. The server
can be controlled: `issuer.answer` may be a status, bytes, or a function of the exchange.
"""

import base64
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import time

RESOURCE = "https://gateway.example/mcp"


def b64(data):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*args, stdin=None):
    done = subprocess.run(["openssl", *args], input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def from_der(signature, part):
    """The two numbers of an ECDSA signature, one behind the other."""
    at = 4 if signature[1] & 0x80 == 0 else 5
    numbers = []
    at -= 2
    for _ in range(2):
        size = signature[at + 1]
        numbers.append(int.from_bytes(signature[at + 2 : at + 2 + size], "big"))
        at += 2 + size
    return b"".join(number.to_bytes(part, "big") for number in numbers)


class Key:
    """A private key, and how tokens are signed with it."""

    KINDS = {
        "RS": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        "PS": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        "ES256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        "ES384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        "ES512": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
        "EdDSA": ["-algorithm", "ED25519"],
    }
    CURVES = {"ES256": ("P-256", 32), "ES384": ("P-384", 48), "ES512": ("P-521", 66)}

    def __init__(self, kid, alg="RS256", pem=None):
        self.kid, self.alg = kid, alg
        kind = self.KINDS.get(alg) or self.KINDS[alg[:2]]
        self.pem = pem or openssl("genpkey", *kind)
        self.der = openssl("pkey", "-pubout", "-outform", "DER", stdin=self.pem)

    def jwk(self, **more):
        jwk = {"kid": self.kid, "alg": self.alg, "use": "sig"}
        if self.alg == "EdDSA":
            jwk |= {"kty": "OKP", "crv": "Ed25519", "x": b64(self.der[-32:])}
        elif self.alg in self.CURVES:
            curve, part = self.CURVES[self.alg]
            x, y = self.der[-2 * part : -part], self.der[-part:]
            jwk |= {"kty": "EC", "crv": curve, "x": b64(x), "y": b64(y)}
        else:
            printed = openssl("pkey", "-noout", "-text", "-pubin", "-inform", "DER", stdin=self.der)
            digits = re.search(rb"Modulus:\n((?:\s+[0-9a-f:]+\n)+)", printed).group(1)
            modulus = bytes.fromhex(re.sub(rb"[\s:]", b"", digits).decode()).lstrip(b"\0")
            jwk |= {"kty": "RSA", "n": b64(modulus), "e": "AQAB"}
        return {name: value for name, value in (jwk | more).items() if value is not None}

    def public_pem(self):
        return openssl("pkey", "-pubout", stdin=self.pem)

    def sign(self, text, alg=None):
        alg = alg or self.alg
        with tempfile.TemporaryDirectory() as folder:
            key, message = pathlib.Path(folder, "key"), pathlib.Path(folder, "message")
            key.write_bytes(self.pem)
            message.write_bytes(text)
            if alg == "EdDSA":
                return openssl("pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", message)
            options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
            options = options if alg[:2] == "PS" else []
            made = openssl("dgst", f"-sha{alg[2:]}", "-sign", key, *options, message)
        return from_der(made, self.CURVES[alg][1]) if alg in self.CURVES else made

    def token(self, claims, header=None, alg=None):
        alg = alg or self.alg
        head = {"alg": alg, "typ": "at+jwt", "kid": self.kid} | (header or {})
        head = {name: value for name, value in head.items() if value is not None}
        text = f"{b64(head)}.{b64(claims)}"
        return f"{text}.{b64(self.sign(text.encode(), alg))}"


class Issuer:
    """Publishes keys at /jwks, on a port that the system chooses."""

    def __init__(self, *keys):
        self.keys, self.answer, self.asked = list(keys), None, 0
        issuer = self

        class Exchange(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                issuer.asked += 1
                if callable(issuer.answer):
                    issuer.answer(self)
                elif isinstance(issuer.answer, int):
                    self.reply(issuer.answer, b"")
                else:
                    self.reply(200, issuer.answer or issuer.published())

            def reply(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def published(self):
        return json.dumps({"keys": [key.jwk() for key in self.keys]}).encode()

    def settings(self, **more):
        return {"issuer": self.url, "jwks": f"{self.url}/jwks"} | more

    def auth(self, scopes=None, **more):
        return {
            "resource": RESOURCE,
            "jwt": [self.settings(**more)],
            **({"scopes": scopes} if scopes else {}),
        }

    def claims(self, **more):
        now = int(time.time())
        claims = {"iss": self.url, "aud": RESOURCE, "sub": "ann", "iat": now, "exp": now + 600}
        claims |= more
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, key=None, header=None, **claims):
        return (key or self.keys[0]).token(self.claims(**claims), header)
