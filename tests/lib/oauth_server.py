"""An authorization server for tests, and an MCP server that requires its tokens; both on sockets.

The server issues tokens for every grant, records requests, and can be made to misbehave:
 `server.on["/token"] = lambda exchange: exchange.answer(500)`.
"""

import base64
import hashlib
import http.server
import itertools
import json
import threading
import time
import typing
import urllib.parse

from stub_server import Listener, StubServer

CLIENT, SECRET = "gateway-client", "client-secret-for-tests-5b1f"


class Asked(typing.NamedTuple):
    """A request of the past."""

    method: str
    path: str
    query: dict
    headers: dict
    form: dict
    body: bytes


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError):
            pass

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(url.query))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_form = "urlencoded" in (self.headers.get("Content-Type") or "")
        self.form = dict(urllib.parse.parse_qsl(body.decode())) if is_form else {}
        self.body = body
        self.route = url.path
        asked = Asked(self.command, url.path, self.query, self.headers, self.form, body)
        with self.server.owner.lock:
            self.server.owner.seen.append(asked)
        self.server.owner.serve(self)

    do_GET = do_POST = serve

    def answer(self, status, body=b"", **headers):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **headers}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def refuse(self, error, status=400, **more):
        self.answer(status, {"error": error, "error_description": f"because {error}", **more})


class AuthServer:
    """As a context manager. `path` is that of the issuer."""

    def __init__(self, path="", **metadata):
        self.lock, self.seen, self.on = threading.Lock(), [], {}
        self.path, self.more = path, metadata
        self.numbers = itertools.count(1)
        self.clients = {CLIENT: SECRET}  # None: a client without a secret.
        self.tokens, self.refreshes, self.codes = {}, {}, {}
        self.expires = 3600  # Seconds; None: not reported.
        self.issues_refresh, self.rotates = True, True
        self.sends_iss = "right"  # right, wrong, none.
        self.prefix = "access-token-"

    def __enter__(self):
        self.listener = Listener(("127.0.0.1", 0), Exchange)
        self.listener.owner = self
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()

    @property
    def root(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def issuer(self):
        return self.root + self.path

    def saw(self, path, **form):
        with self.lock:
            return [
                one
                for one in self.seen
                if one.path == path and all(one.form.get(key) == value for key, value in form.items())
            ]

    def grants(self, kind):
        return self.saw("/token", grant_type=kind)

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": self.root + "/authorize",
            "token_endpoint": self.root + "/token",
            "registration_endpoint": self.root + "/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic",
                "client_secret_post",
                "none",
            ],
            **self.more,
        }

    def serve(self, exchange):
        if own := self.on.get(exchange.route):
            return own(exchange)
        if exchange.route == f"/.well-known/oauth-authorization-server{self.path}":
            metadata = {name: value for name, value in self.metadata().items() if value is not None}
            return exchange.answer(200, metadata)
        if exchange.route in ("/token", "/authorize", "/register"):
            return getattr(self, exchange.route[1:])(exchange)
        return exchange.answer(404, {"error": "not_found"})

    # Tokens.

    def issue(self, grant, **more):
        """A token and what goes with it, as the answer has it."""
        number = next(self.numbers)
        access = f"{self.prefix}{number}"
        with self.lock:
            self.tokens[access] = grant
        body = {"access_token": access, "token_type": "Bearer", **more}
        if self.expires is not None:
            body["expires_in"] = self.expires
        if grant.get("scope"):
            body["scope"] = grant["scope"]
        if grant.get("refreshable") and self.issues_refresh:
            body["refresh_token"] = f"refresh-token-{number}"
            with self.lock:
                self.refreshes[body["refresh_token"]] = grant
        return body

    def revoke(self):
        """None of the tokens is good any more."""
        with self.lock:
            self.tokens.clear()

    def is_good(self, token, resource=None):
        with self.lock:
            grant = self.tokens.get(token)
        return bool(grant) and resource in (None, grant.get("resource"))

    def client_of(self, exchange):
        """The authenticated client; None otherwise."""
        form, header = exchange.form, exchange.headers.get("Authorization", "")
        if header.startswith("Basic "):
            client, _, secret = base64.b64decode(header[6:]).decode().partition(":")
            client, secret = urllib.parse.unquote(client), urllib.parse.unquote(secret)
        elif "client_assertion" in form:
            return self.check_assertion(form["client_assertion"])
        else:
            client, secret = form.get("client_id"), form.get("client_secret")
        return client if client in self.clients and self.clients[client] == secret else None

    check_assertion = staticmethod(lambda assertion: None)

    def token(self, exchange):
        client = self.client_of(exchange)
        if not client:
            return exchange.refuse("invalid_client", 401)
        form = exchange.form
        grant = {"client": client, "scope": form.get("scope"), "resource": form.get("resource")}
        kind = form.get("grant_type")
        if kind == "client_credentials":
            return exchange.answer(200, self.issue(grant))
        if kind == "authorization_code":
            return self.redeem(exchange, form, grant)
        if kind == "refresh_token":
            return self.refresh(exchange, form)
        if kind == "urn:ietf:params:oauth:grant-type:token-exchange":
            if not form.get("subject_token"):
                return exchange.refuse("invalid_request")
            grant["subject"] = form["subject_token"]
            kind_of_token = "urn:ietf:params:oauth:token-type:access_token"
            return exchange.answer(200, self.issue(grant, issued_token_type=kind_of_token))
        return exchange.refuse("unsupported_grant_type")

    def redeem(self, exchange, form, grant):
        with self.lock:
            code = self.codes.pop(form.get("code"), None)
        if not code or code["client"] != grant["client"]:
            return exchange.refuse("invalid_grant")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != code["challenge"] or form.get("redirect_uri") != code["redirect_uri"]:
            return exchange.refuse("invalid_grant")
        grant = {**grant, "scope": code["scope"], "who": code["who"], "refreshable": True}
        return exchange.answer(200, self.issue(grant))

    def refresh(self, exchange, form):
        old = form.get("refresh_token")
        with self.lock:
            grant = self.refreshes.pop(old, None) if self.rotates else self.refreshes.get(old)
        if not grant:
            return exchange.refuse("invalid_grant")
        return exchange.answer(200, self.issue(grant))

    # Signing in.

    who = "somebody"  # Signs in when a browser comes.

    def authorize(self, exchange):
        query = exchange.query
        code = f"code-{next(self.numbers)}"
        with self.lock:
            self.codes[code] = {
                "client": query.get("client_id"),
                "challenge": query.get("code_challenge"),
                "redirect_uri": query.get("redirect_uri"),
                "scope": query.get("scope"),
                "who": self.who,
            }
        back = {"code": code, "state": query.get("state", "")}
        if self.sends_iss != "none":
            back["iss"] = self.issuer if self.sends_iss == "right" else "https://evil.example"
        exchange.answer(302, Location=f"{query['redirect_uri']}?{urllib.parse.urlencode(back)}")

    def register(self, exchange):
        wanted = json.loads(exchange.body)
        client, secret = f"registered-{next(self.numbers)}", f"registered-secret-{time.time_ns()}"
        with self.lock:
            self.clients[client] = secret
        exchange.answer(201, {**wanted, "client_id": client, "client_secret": secret})


class Guarded(StubServer):
    """An MCP server that wants a token of `auth` with each message."""

    def __init__(self, auth, stateless=False, scope=None, in_header=True, **options):
        super().__init__(stateless=stateless, **options)
        self.auth, self.scope, self.in_header = auth, scope, in_header
        self.needs = {}  # Method of MCP -> the scope that its token must have.
        self.resource = None  # Other than its URL.
        self.metadata = {}  # Other members; None leaves one out.
        self.presented = []  # The tokens that came, None for none.
        self.open_methods = ()  # Methods that need none.

    @property
    def root(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self):
        return self.root + "/mcp"

    def upstream(self, **settings):
        return super().upstream(**{"url": self.url, **settings})

    def get(self, exchange):
        if exchange.path != "/.well-known/oauth-protected-resource/mcp":
            return exchange.answer(404, {})
        published = {
            "resource": self.resource or self.url,
            "authorization_servers": [self.auth.issuer],
            **self.metadata,
        }
        body = {name: value for name, value in published.items() if value is not None}
        return exchange.answer(200, body)

    def challenge(self, **more):
        parts = dict(more)
        if self.in_header:
            parts["resource_metadata"] = self.root + "/.well-known/oauth-protected-resource/mcp"
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())

    def serve(self, exchange):
        if exchange.command == "GET" and exchange.path.startswith("/.well-known/"):
            return self.get(exchange)
        if exchange.method in self.open_methods:
            return super().serve(exchange)
        kind, _, token = (exchange.headers.get("Authorization") or "").partition(" ")
        token = token if kind == "Bearer" else None
        with self.lock:
            self.presented.append(token)
        resource = self.resource or self.url
        if not token or not self.auth.is_good(token, resource):
            parts = {"error": "invalid_token"} if token else {}
            if self.scope:
                parts["scope"] = self.scope
            return exchange.answer(401, {}, WWW_Authenticate=self.challenge(**parts))
        has = (self.auth.tokens[token].get("scope") or "").split()
        if (needs := self.needs.get(exchange.method)) and needs not in has:
            challenge = self.challenge(error="insufficient_scope", scope=needs)
            return exchange.answer(403, {}, WWW_Authenticate=challenge)
        return super().serve(exchange)

    def tokens_presented(self):
        with self.lock:
            return [token for token in dict.fromkeys(self.presented) if token]
