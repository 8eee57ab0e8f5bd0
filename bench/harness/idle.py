"""idle: what the gateway costs while idle.

Memory after start; time from spawn to the first answered tools/list; memory of many sessions, each
with its GET stream open, and of as many sessions over WebSocket. Beside it a raw epoll server and
nginx: their first answer, and as many idle connections kept alive.
"""

import json
import socket
import statistics
import struct
import subprocess
import time
import uuid

from . import client, processes, report, requests
from .measure import Bench

SESSIONS = 10_000
SETTINGS = (
    "limits: {max_connections: 30000, max_sessions: 30000}\n"
    "wire: {tcp: 'off', rate_limiting: {enabled: false}}\n"
)
WEBSOCKETS = "patchbay, WebSockets"
UPGRADE = (
    b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n"
)
FIRST_ANSWERS = 5


def run(bench: Bench, options) -> dict:
    sessions = 1_000 if options.quick else SESSIONS
    found = {}
    with processes.epoll_server(bench.tools, 64) as raw:
        found["raw epoll"] = grow(raw, sessions, open_plain)
    if bench.tools.nginx:
        folder = bench.scratch("nginx")
        with processes.nginx_static(bench.tools, folder, 1, 64, sessions + 64) as server:
            found["nginx static"] = grow(server, sessions, open_plain)
        found["nginx static"]["first_answer_ms"] = nginx_first_answer(bench)
    if options.has_gateway:
        settings = "listen: 127.0.0.1:0\n" + SETTINGS
        with processes.gateway(bench.tools, bench.scratch("gateway"), settings) as server:
            found["patchbay"] = grow(server, sessions, open_stream)
        found["patchbay"]["first_answer_ms"] = gateway_first_answer(bench)
        with processes.gateway(bench.tools, bench.scratch("websockets"), settings) as server:
            found[WEBSOCKETS] = grow(server, sessions, open_websocket)
    show(found, sessions)
    return found


def grow(server: processes.Server, count: int, open_one) -> dict:
    """Resident memory before and after `count` idle connections.

    The first ones also pay for what all share, such as pools of memory. What SESSIONS of them take
    is found with the second half, so that fewer connections do not count that several times.
    """
    before = steady_kib(server)
    connections: list[socket.socket] = []
    half = count // 2
    try:
        for _ in range(half):
            connections.append(open_one(server.port))
        between = steady_kib(server)
        for _ in range(count - half):
            connections.append(open_one(server.port))
        after = steady_kib(server)
    finally:
        for connection in connections:
            connection.close()
    one_more = (after - between) / (count - half)
    return {
        "rss_mib": before / 1024,
        "growth_mib": (after - before) / 1024,
        "kib_each": (after - before) / count,
        "all_mib": (after - before + one_more * (SESSIONS - count)) / 1024,
    }


def steady_kib(server: processes.Server) -> int:
    time.sleep(0.3)
    return processes.resident_kib(server.pids)


def open_plain(port: int) -> socket.socket:
    """A keep-alive connection that has received one answer."""
    connection = client.connect(port)
    client.exchange(connection, requests.get("/"))
    return connection


def open_stream(port: int) -> socket.socket:
    """A session and, on the same connection, its GET stream, which stays open."""
    connection = client.connect(port)
    session = client.open_session(connection)
    connection.sendall(client.fill(requests.get_stream(), session))
    status, _, body = client.read_head(connection)
    if status != 200:
        raise ConnectionError(f"GET stream: status {status}, {body[:200]!r}")
    return connection


def open_websocket(port: int) -> socket.socket:
    """A WebSocket on which a session of the wire protocol has begun."""
    connection = client.connect(port)
    info = {"name": "bench", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    # Each id is new: the gateway refuses a message that it has had before.
    message = {"id": str(uuid.uuid4()), "timestamp": "2024-01-15T10:30:45.123Z", "source": "local-router",
               "mcp_payload": {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}}
    text = json.dumps(message).encode()
    # The mask may be zero: then the payload is as it was.
    connection.sendall(UPGRADE + b"\x81\xfe" + struct.pack(">H", len(text)) + bytes(4) + text)
    received = b""
    while b'"serverInfo"' not in received:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError(f"WebSocket: {received[:200]!r}")
        received += more
    return connection


def gateway_first_answer(bench: Bench) -> float:
    """Milliseconds from spawn to a complete tools/list answer; the median of a few starts."""
    request = client.fill(requests.stateless("tools/list", {}))
    return statistics.median(timed_start(bench, request) for _ in range(FIRST_ANSWERS))


def timed_start(bench: Bench, request: bytes) -> float:
    # The port must be known before the gateway prints it, or reading its output would be timed too.
    port = processes.free_port()
    folder = bench.scratch("start")
    folder.mkdir()
    config = folder / "patchbay.yaml"
    config.write_text(f"listen: 127.0.0.1:{port}\n")
    command = [str(bench.tools.gateway), "serve", "-c", str(config)]
    started = time.perf_counter()
    idle = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with processes.running(command, **idle) as process:
        return until_answered(process, port, request, started, b'"tools"')


def nginx_first_answer(bench: Bench) -> float:
    """nginx has no tools; its first answer is its static one."""
    times = []
    for _ in range(FIRST_ANSWERS):
        started = time.perf_counter()
        with processes.nginx_static(bench.tools, bench.scratch("nginx"), 1, 64):
            times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def until_answered(process, port: int, request: bytes, started: float, expected: bytes) -> float:
    while process.poll() is None:
        try:
            with client.connect(port) as connection:
                status, _, body = client.exchange(connection, request)
            if status == 200 and expected in body:
                return (time.perf_counter() - started) * 1000
        except OSError:
            pass
        time.sleep(0.0001)
        if time.perf_counter() - started > 10:
            break
    raise processes.StartFailed("the gateway never answered tools/list")


def show(found: dict, sessions: int) -> None:
    rows = []
    baseline = found.get("nginx static", {})
    for name, figure in found.items():
        first = figure.get("first_answer_ms")
        rows.append(
            [
                name,
                f"{figure['rss_mib']:.1f}",
                report.ratio(figure["rss_mib"], baseline.get("rss_mib")),
                "" if first is None else f"{first:.1f}",
                "" if first is None else report.ratio(first, baseline.get("first_answer_ms")),
                f"{figure['growth_mib']:.1f}",
                f"{figure['kib_each']:.2f}",
                report.ratio(figure["kib_each"], baseline.get("kib_each")),
            ]
        )
    columns = ["server", "RSS MiB", "of nginx", "first answer ms", "of nginx", "growth MiB"]
    columns += ["KiB each", "of nginx"]
    what = f"{sessions:,} sessions with their GET stream (others: idle connections)"
    title = f"idle: {what}; baseline: nginx static"
    report.print_table(title, columns, rows)
    if ours := found.get("patchbay"):
        # The goals are in MB.
        mb = 1.048576
        report.print_goals(
            [
                report.Goal("RSS after start", ours["rss_mib"] * mb, 12, "MB"),
                report.Goal("spawn to first tools/list", ours["first_answer_ms"], 20, "ms"),
                report.Goal("10,000 idle sessions, RSS growth", ours["all_mib"] * mb, 80, "MB"),
                report.Goal("idle WebSocket", found[WEBSOCKETS]["kib_each"], 20, "KiB"),
            ]
        )
