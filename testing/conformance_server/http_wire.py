"""As much HTTP/1.1 as the fixture needs: requests in, JSON or event streams out, keep-alive."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

REASONS = {200: "OK", 202: "Accepted", 204: "No Content", 400: "Bad Request", 403: "Forbidden"}
REASONS |= {404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable"}
REASONS |= {413: "Content Too Large", 415: "Unsupported Media Type"}
BODY_LIMIT = 64 << 20
LOCAL = ("localhost", "127.0.0.1", "[::1]")


class Gone(Exception):
    """The client has closed the connection."""


class HttpRequest:
    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        parts = urlsplit(target)
        self.path, self.query = parts.path, parse_qs(parts.query)

    def header(self, name):
        return self.headers.get(name)

    def from_elsewhere(self):
        """Whether Host or Origin names anything but this machine."""
        origin = self.headers.get("origin")
        hosts = [self.headers.get("host", "")] + ([urlsplit(origin).netloc] if origin else [])
        return any(host.rpartition(":")[0] not in LOCAL and host not in LOCAL for host in hosts)


class Wire:
    """One connection. What arrives while a request is being served is buffered."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.early = reader, writer, b""

    async def _read(self, size):
        while len(self.early) < size:
            await self._more()
        data, self.early = self.early[:size], self.early[size:]
        return data

    async def _read_until(self, mark):
        while mark not in self.early:
            await self._more()
        data, _, self.early = self.early.partition(mark)
        return data

    async def _more(self):
        data = await self.reader.read(65536)
        if not data:
            raise Gone
        self.early += data

    async def gone(self):
        """Returns when the client has closed its side."""
        try:
            while True:
                await self._more()
        except (Gone, ConnectionError):
            return

    async def wait_for(self, *works):
        """Waits until one of these is done, or the client has disconnected."""
        gone = asyncio.ensure_future(self.gone())
        try:
            await asyncio.wait({gone, *works}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            await asyncio.wait({gone})  # It must have released the reader.

    async def request(self):
        head = (await self._read_until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip(" \t")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return HttpRequest(method, target, headers, await self._body(headers))

    async def _body(self, headers):
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int((await self._read_until(b"\r\n")).split(b";")[0], 16):
                body += (await self._read(size + 2))[:-2]
            await self._read_until(b"\r\n")
            return body
        return await self._read(min(int(headers.get("content-length", 0)), BODY_LIMIT))

    async def answer(self, status, message=None, headers=None):
        body = b"" if message is None else json.dumps(message).encode()
        fields = {"Content-Length": len(body), **(headers or {})}
        if message is not None:
            fields["Content-Type"] = "application/json"
        await self.write(self._head(status, fields) + body)

    async def begin_events(self, headers=None):
        fields = {
            "Content-Type": "text/event-stream",
            "Cache-Control": "no-cache",
            "X-Accel-Buffering": "no",
            "Transfer-Encoding": "chunked",
        }
        await self.write(self._head(200, {**fields, **(headers or {})}))

    def _head(self, status, fields):
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    async def event(self, data, event_id=None, event=None, retry=None):
        lines = [f"event: {event}"] if event else []
        lines += [f"id: {event_id}"] if event_id is not None else []
        lines += [f"retry: {retry}"] if retry is not None else []
        chunk = ("\n".join([*lines, f"data: {data}"]) + "\n\n").encode()
        await self.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    async def end_events(self):
        await self.write(b"0\r\n\r\n")

    async def write(self, data):
        self.writer.write(data)
        await self.writer.drain()


async def listen(handle, host, port):
    """Serves `await handle(wire, request)` for every request."""

    async def serve(reader, writer):
        wire = Wire(reader, writer)
        try:
            while True:
                await handle(wire, await wire.request())
        except (Gone, ConnectionError, ValueError):
            pass
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, host, port)
    return listener, listener.sockets[0].getsockname()[1]
