"""An MCP server that requires tokens, and the authorization server that issues them; standard library only.

The MCP server is on port 28751, the authorization server on 28752. Both log to stdout.
"""

import base64
import http.server
import itertools
import json
import threading
import time
import urllib.parse

MCP, AUTH = "http://127.0.0.1:28751", "http://127.0.0.1:28752"
CLIENT, SECRET = "patchbay", "only-for-this-example"
LIVES_S = 2  # The lifetime of a token.
TOKENS = {}  # token -> (scopes, the time when it expires)
NUMBERS = itertools.count(1)
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("read", "write")]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, **fields):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # The gateway has disconnected.
            pass


class AuthorizationServer(Handler):
    def do_GET(self):
        if self.path != "/.well-known/oauth-authorization-server":
            return self.answer(404, {})
        return self.answer(200, {"issuer": AUTH, "token_endpoint": AUTH + "/token"})

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.body().decode()))
        proof = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers["Authorization"] != f"Basic {proof}":
            return self.answer(401, {"error": "invalid_client"})
        token, scope = f"token-{next(NUMBERS)}", form.get("scope", "")
        TOKENS[token] = scope.split(), time.monotonic() + LIVES_S
        print(f"a token for {form['resource']} with: {scope}", flush=True)
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": LIVES_S}
        return self.answer(200, {**answer, "scope": scope})


class Notes(Handler):
    def do_GET(self):
        if self.path != "/.well-known/oauth-protected-resource/mcp":
            return self.answer(405, {})
        return self.answer(200, {"resource": MCP + "/mcp", "authorization_servers": [AUTH]})

    def do_POST(self):
        message = json.loads(self.body())
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        scopes, expires = TOKENS.get(token, ([], 0))
        if time.monotonic() >= expires:
            return self.refuse(401, 'scope="notes:read"')
        if message.get("params", {}).get("name") == "write" and "notes:write" not in scopes:
            return self.refuse(403, 'error="insufficient_scope", scope="notes:write"')
        if "id" not in message:
            return self.answer(202, {})
        result = self.result(message["method"], message.get("params", {}))
        return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], **result})

    def refuse(self, status, words):
        place = MCP + "/.well-known/oauth-protected-resource/mcp"
        challenge = f'Bearer {words}, resource_metadata="{place}"'
        return self.answer(status, {}, WWW_Authenticate=challenge)

    def result(self, method, params):
        if method == "initialize":
            info = {"name": "notes", "version": "1"}
            opening = {"protocolVersion": params["protocolVersion"], "serverInfo": info}
            return {"result": {**opening, "capabilities": {"tools": {}}}}
        if method == "tools/list":
            return {"result": {"tools": TOOLS}}
        if method == "tools/call":
            return {"result": {"content": [{"type": "text", "text": f"{params['name']}: done"}]}}
        if method == "ping":
            return {"result": {}}
        return {"error": {"code": -32601, "message": "there is no such method"}}


auth = http.server.ThreadingHTTPServer(("127.0.0.1", 28752), AuthorizationServer)
threading.Thread(target=auth.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", 28751), Notes).serve_forever()
