#!/usr/bin/env python3
"""An MCP server with everything that the official conformance suite asks of one.

It can be locked to some revisions, and then does not support the others. The tools are the same in
all of them, so that a gateway that translates between session-based and stateless MCP can be checked
against the requirements of either with a server of the other behind it.

usage: python3 testing/conformance_server [--transport T] [--revisions R,…] [--record FILE] …
"""

import argparse
import asyncio
import signal

import http_mcp
import http_sse
import lines
from revisions import ALL
from server import Server


def parse():
    parser = argparse.ArgumentParser(prog="conformance_server", description=__doc__.split("\n")[0])
    kinds = ("stdio", "http", "sse", "custom-http-sse", "tcp", "unix")
    parser.add_argument("--transport", choices=kinds, default="stdio")
    parser.add_argument("--revisions", default=",".join(ALL), help="a comma list; default: all")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any; the address is printed")
    parser.add_argument("--path", help="of the Unix socket")
    parser.add_argument("--record", help="append every message to this file, as JSON lines")
    parser.add_argument("--page", type=int, help="list so many items at a time")
    parser.add_argument("--task-ttl", type=int, help="milliseconds that a task is kept")
    parser.add_argument("--always-stream", action="store_true", help="answer POST with events only")
    args = parser.parse_args()
    args.revisions = args.revisions.split(",")
    if unknown := set(args.revisions) - set(ALL):
        parser.error(f"unknown revisions: {', '.join(sorted(unknown))}")
    return args


def open_listener(server, args):
    if args.transport == "http":
        return http_mcp.streamable(server, args.host, args.port, args.always_stream)
    if args.transport in ("sse", "custom-http-sse"):
        return http_sse.sse(server, args.host, args.port, args.transport != "sse")
    if args.transport == "tcp":
        return lines.tcp(server, args.host, args.port)
    return lines.unix(server, args.path)


async def main():
    args = parse()
    server = Server(args.revisions, args.record, args.page, args.task_ttl)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stopping.set)
    if args.transport == "stdio":
        talk = asyncio.ensure_future(lines.stdio(server))
        stop = asyncio.ensure_future(server.stopping.wait())
        await asyncio.wait({talk, stop}, return_when=asyncio.FIRST_COMPLETED)
        return
    listener, address = await open_listener(server, args)
    print(address, flush=True)
    await server.stopping.wait()
    listener.close()


if __name__ == "__main__":
    asyncio.run(main())
