"""The servers under measurement, each a child process that is stopped when its block ends."""

import contextlib
import os
import re
import resource
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import client


@dataclass
class Server:
    """A running server: where it listens, and whose CPU is its own and whose is its back end's."""

    port: int
    pids: list[int]
    back_end_pids: list[int] = field(default_factory=list)


@dataclass
class Tools:
    """Where the programs are."""

    build: Path
    gateway: Path
    nginx: str | None
    before: Path | None = None  # An earlier gateway, to compare with.

    def bench(self, name: str) -> str:
        return str(self.build / "bench" / name)


class StartFailed(Exception):
    """A server did not start; the text is the reason."""


def find_nginx() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def raise_file_limit() -> None:
    """Each connection is a descriptor here and one in the server, which inherits our limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65536
    with contextlib.suppress(ValueError, PermissionError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children_of(pid: int) -> list[int]:
    found = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def resident_kib(pids: list[int]) -> int:
    total = 0
    for pid in pids:
        status = Path(f"/proc/{pid}/status").read_text()
        total += int(re.search(r"VmRSS:\s+(\d+)", status)[1])
    return total


@contextlib.contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """A child process that is asked to stop, and made to, when the block ends."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def lines_until_ready(process: subprocess.Popen, name: str) -> list[str]:
    """What the process prints up to `ready`. A thread continues to read, so that it never blocks."""
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if lines[-1] == "ready":
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return lines
    raise StartFailed(f"{name} ended with status {process.wait()} before it was ready")


@contextlib.contextmanager
def epoll_server(tools: Tools, size: int, threads: int = 1) -> Iterator[Server]:
    """The raw ceiling: answers every request with `size` bytes."""
    command = [tools.bench("epoll_server"), "--bytes", str(size), "--threads", str(threads)]
    with running(command, stdout=subprocess.PIPE) as process:
        lines = lines_until_ready(process, "epoll_server")
        yield Server(int(lines[0].split()[1]), [process.pid])


NGINX_CONFIG = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes {workers};
{user}
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  default_type application/json;
  keepalive_timeout 600s;
  keepalive_requests 1000000000;
  tcp_nodelay on;
  client_max_body_size 16m;
  client_body_buffer_size 2m;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_buffer_size 16k;
  proxy_buffers 64 32k;
  proxy_busy_buffers_size 256k;
  proxy_max_temp_file_size 0;
{upstream}
  server {{
    listen 127.0.0.1:{port} backlog=4096{share};
    location / {{ {answer} }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(
    tools: Tools,
    folder: Path,
    workers: int,
    answer: str,
    upstream: str = "",
    connections: int = 2048,
) -> Iterator[Server]:
    """nginx takes memory for all its connections when it starts, so their number is a parameter."""
    folder.mkdir()
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(
        NGINX_CONFIG.format(
            folder=folder,
            workers=workers,
            port=port,
            answer=answer,
            upstream=upstream,
            connections=connections,
            share=" reuseport" if workers > 1 else "",
            user="user root;" if os.geteuid() == 0 else "",
        )
    )
    command = [tools.nginx, "-p", str(folder), "-c", str(config), "-e", str(folder / "error.log")]
    with running(command, stderr=subprocess.DEVNULL) as process:
        if not client.answers(port, process):
            log = (folder / "error.log").read_text()
            raise StartFailed(f"nginx did not start: {log.strip()}")
        yield Server(port, [process.pid, *children_of(process.pid)])


@contextlib.contextmanager
def nginx_static(
    tools: Tools, folder: Path, workers: int, size: int, connections: int = 2048
) -> Iterator[Server]:
    """nginx that answers every request by itself with `size` bytes."""
    answer = f"return 200 {'x' * size};"
    with nginx(tools, folder, workers, answer, connections=connections) as server:
        yield server


@contextlib.contextmanager
def nginx_proxy_to(
    tools: Tools, folder: Path, workers: int, back_end: Server
) -> Iterator[Server]:
    """nginx in front of a server, with connections to it kept alive."""
    upstream = (
        f"  upstream echo {{ server 127.0.0.1:{back_end.port};"
        " keepalive 512; keepalive_requests 1000000000; keepalive_timeout 600s; }"
    )
    with nginx(tools, folder, workers, "proxy_pass http://echo;", upstream) as server:
        server.back_end_pids = back_end.pids
        yield server


@contextlib.contextmanager
def nginx_proxy(tools: Tools, folder: Path, workers: int, size: int) -> Iterator[Server]:
    """nginx in front of an epoll_server."""
    with epoll_server(tools, size) as back_end:
        with nginx_proxy_to(tools, folder, workers, back_end) as server:
            yield server


@contextlib.contextmanager
def http_echo(tools: Tools, protocol: str) -> Iterator[Server]:
    """An MCP server over HTTP that speaks one form of MCP."""
    command = [tools.bench("http_echo"), "--stateless", str(int(protocol == "stateless"))]
    with running(command, stdout=subprocess.PIPE) as process:
        lines = lines_until_ready(process, "http_echo")
        yield Server(int(lines[0].split()[1]), [process.pid])


@contextlib.contextmanager
def gateway(tools: Tools, folder: Path, settings: str, tool: str | None = None) -> Iterator[Server]:
    """Patchbay, ready; with `tool` named, only once that tool is in its catalog."""
    folder.mkdir()
    config = folder / "patchbay.yaml"
    config.write_text(settings)
    command = [str(tools.gateway), "serve", "-c", str(config)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        lines = lines_until_ready(process, f"{tools.gateway.name} with\n{settings}")
        address = re.search(r"mcp http\s+http://127\.0\.0\.1:(\d+)/mcp", "\n".join(lines))
        if address is None:
            raise StartFailed("the gateway named no MCP frontend")
        port = int(address[1])
        wait_for_tool(port, tool)
        yield Server(port, [process.pid], children_of(process.pid))


def wait_for_tool(port: int, tool: str | None) -> None:
    deadline = time.monotonic() + 10
    while tool is not None and tool not in client.list_tools(port):
        if time.monotonic() > deadline:
            raise StartFailed(f"the gateway never offered {tool}")
        time.sleep(0.02)
