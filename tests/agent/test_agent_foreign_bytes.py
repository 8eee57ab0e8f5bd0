"""Foreign bytes on our ports, such as requests of a web page in a local browser, never run
anything."""

import http.server
import json
import socket
import struct
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

import chromium
from agent_case import STATIC, TOKEN, Agent, AgentTestCase
from harness import BINARY, TIMEOUT, Gateway, main
from wire_case import WireCase
from wire_client import DATA, call, envelope, frame


def request(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


class Foreign(AgentTestCase):
    """Bytes of other protocols, followed by lines that the agent would run."""

    def lines(self, touched):
        # The worst case: the sender even knows the token.
        return (request(1, "authenticate", {"token": TOKEN}) + "\n"
                + request(2, "exec", {"cmd": f"touch {touched}"}) + "\n").encode()

    def foreign(self, body):
        head = f"Host: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        long_line = b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n"
        return {
            "a POST": b"POST / HTTP/1.1\r\n" + head + body,
            "a line that is too long": long_line + body,
            "an object that breaks off": b'{"jsonrpc":"2.0",\n' + body,
            "an array": b"[1]\n" + body,
            "a number": b"7\n" + body,
            "a text": b'"{}"\n' + body,
            "CONNECT and a POST": b"CONNECT 52\nPOST / HTTP/1.1\r\n" + head + body,
            "a greeting of another protocol": b"EHLO localhost\r\n" + body,
        }

    def check(self, listen, program):
        with Agent("--max-line", "4096", listen=listen, program=program) as agent:
            for name, bytes_sent in self.foreign(self.lines(self.folder / "touched")).items():
                with self.subTest(f"{name} over {listen}"):
                    wire = agent.connect() if listen == "unix" else None
                    sock = wire.socket if wire else agent.socket()
                    sock.sendall(bytes_sent)
                    try:
                        while sock.recv(65536):  # An error, perhaps, and the end.
                            pass
                    except ConnectionResetError:
                        pass
                    sock.close()
                    self.assertFalse((self.folder / "touched").exists())
            # The agent serves its peers as before, also after an object that is no request.
            wire = agent.connect()
            self.assertIn(b"-32600", wire.exchange('{"jsonrpc":"2.0","id":1}'))
            self.assertIn(b"longer than 4096 bytes", wire.exchange('{"a":"' + "x" * 5000 + '"}'))
            self.assertEqual(wire.ask("ping"), {"pong": True})

    def test_a_connection_ends_at_its_first_line_that_is_no_object(self):
        for program in ((BINARY, "agent"), (STATIC,)):
            for listen in ("tcp", "unix"):
                self.check(listen, program)


PAGE = """<!doctype html><title>any page</title><script>
(async () => {
  const plan = await (await fetch('/plan')).json();
  for (const url of plan.urls) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const how = {method: 'POST', mode: 'no-cors', headers: {'Content-Type': type}, body: plan.body};
      try { await fetch(url, how); } catch (error) {}
    }
    navigator.sendBeacon(url, new Blob([plan.body], {type: 'text/plain'}));
    await new Promise(done => {
      const frame = document.createElement('iframe');
      frame.name = 'frame'; frame.onload = done; document.body.append(frame);
      const form = document.createElement('form');
      Object.assign(form, {method: 'post', action: url, enctype: 'text/plain', target: 'frame'});
      const field = document.createElement('textarea');
      field.name = plan.body; form.append(field); document.body.append(form); form.submit();
      setTimeout(done, 2000);
    });
  }
  await fetch('/done', {method: 'POST'});
})();
</script><body></body>"""


class Page:
    """Serves a page, opens it in Chromium and waits until its script has come to its end."""

    def __init__(self, urls, body):
        self.done = threading.Event()
        plan = json.dumps({"urls": urls, "body": body}).encode()
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, text, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                if self.path == "/plan":
                    self.answer(plan, "application/json")
                else:
                    self.answer(PAGE.encode(), "text/html")

            def do_POST(self):
                self.answer(b"", "text/plain")
                page.done.set()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def open(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        try:
            with chromium.browsing(f"http://127.0.0.1:{self.server.server_port}/"):
                return self.done.wait(TIMEOUT)
        finally:
            self.server.shutdown()
            self.server.server_close()


class Chromium(AgentTestCase):
    def test_a_web_page_runs_nothing(self):
        if not chromium.program():
            print("a web page in a browser was left out: there is no chromium", flush=True)
            self.skipTest("there is no chromium")
        touched = self.folder / "touched"
        # Where the listener is open to connections without a token is tested in test_agent_beyond.py:
        # the agent does not start. Here the page even knows the token.
        body = "\n".join(["", request(1, "authenticate", {"token": TOKEN}),
                          request(2, "exec", {"cmd": f"touch {touched}"}), ""])
        with Agent(listen="tcp") as agent:
            url = f"http://{agent.where.removeprefix('tcp:')}/"
            self.assertTrue(Page([url], body).open(), "the page did not come to its end")
            self.assertEqual(agent.connect().ask("ping"), {"pong": True})
            self.assertFalse(touched.exists())


def post(body, **fields):
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return (f"POST /subjects/s/versions HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n{head}"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def all_that_comes(port, data):
    """What a listener answers to these bytes before it closes the connection."""
    reply = b""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as sock:
        sock.sendall(data)
        try:
            while more := sock.recv(65536):
                reply += more
        except ConnectionResetError:
            pass
    return reply


class OtherListeners(WireCase):
    """What a page posts to them ends the connection before anything of it is done."""

    def test_frames_in_the_body_of_a_post(self):
        gateway = self.start()
        frames = frame(DATA, json.dumps(envelope(call("echo", {"text": "x"}))).encode())
        self.assertNotIn(b"mcp_payload", all_that_comes(gateway.wire_port, post(frames)))
        self.assertEqual(gateway.get("/metrics").body.count(b"patchbay_calls_total{"), 0)

    def test_the_embedded_bus(self):
        gateway = self.enterContext(Gateway({"upstreams": {"agents": {"kind": "kafka", "bus": "embedded"}}}))
        bus = gateway.get("/health").json()["bus"]
        # An ApiVersions request of Kafka: its size, api, version, correlation id and client id.
        kafka = struct.pack(">hhih", 18, 0, 7, -1)
        kafka = struct.pack(">i", len(kafka)) + kafka
        self.assertEqual(all_that_comes(int(bus["bootstrap"].rpartition(":")[2]), post(kafka)), b"")
        registry = int(bus["schema_registry"].rpartition(":")[2])
        schema = json.dumps({"schemaType": "JSON", "schema": "{}"}).encode()
        reply = all_that_comes(registry, post(schema, Connection="close"))
        self.assertIn(b" 403 ", reply.splitlines()[0])


if __name__ == "__main__":
    main()
