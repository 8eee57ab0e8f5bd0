#!/usr/bin/env python3
"""A small HTTP service without MCP support. It prints the requests it gets."""

import http.server
import json
import sys
import urllib.parse

BOOKS = {1: {"number": 1, "title": "Emma", "author": "Austen"}}


class Library(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.path.startswith("/v1/"):
            print(f"  asked: {self.command} {self.path}", flush=True)
        if self.headers.get("X-Library-Key") != "for-show-only":
            return self.answer(401, {"error": "who are you?"})
        url = urllib.parse.urlsplit(self.path)
        wanted = urllib.parse.parse_qs(url.query).get("author")
        if self.command == "POST":
            book = {"number": len(BOOKS) + 1, **json.loads(body)}
            BOOKS[book["number"]] = book
            return self.answer(201, book)
        if url.path == "/v1/books":
            fits = [book for book in BOOKS.values() if not wanted or book["author"] in wanted]
            return self.answer(200, {book["number"]: book["title"] for book in fits})
        number = urllib.parse.unquote(url.path.rpartition("/")[2])
        if number.isdigit() and int(number) in BOOKS:
            return self.answer(200, BOOKS[int(number)])
        return self.answer(404, {"error": f"no book '{number}'"})

    do_GET = do_POST = do_DELETE = handle_request


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Library).serve_forever()
