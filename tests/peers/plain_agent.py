"""A guest agent that knows the six methods of its protocol and nothing more, behind a socket as the
monitor of a virtual machine offers it: the first line names a port and is answered by another one.

usage: plain_agent.py SOCKET"""

import json
import os
import socket
import subprocess
import sys
import threading

INTERPRETERS = {"python": ["python3", "-c"], "sh": ["sh", "-c"], "bash": ["bash", "-c"]}


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return {"exit_code": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


def exec_code(lang, code):
    if lang in INTERPRETERS:
        return run([*INTERPRETERS[lang], code])
    return {"exit_code": -1, "stdout": "", "stderr": f"unsupported language: {lang}"}


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return {"content": file.read()}


def write_file(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return {"success": True}


def list_dir(path):
    entries = [
        {"name": one.name, "is_dir": one.is_dir(), "size": 0 if one.is_dir() else one.stat().st_size}
        for one in os.scandir(path)
    ]
    return {"entries": entries}


METHODS = {
    "ping": lambda: {"pong": True},
    "exec": lambda cmd: run(["sh", "-c", cmd]),
    "exec_code": exec_code,
    "read_file": read_file,
    "write_file": write_file,
    "list_dir": list_dir,
}


def answer(request):
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    fault = lambda code, message: {"code": code, "message": message, "data": None}
    method = METHODS.get(request["method"])
    if not method:
        return {**reply, "error": fault(-32601, f"method not found: {request['method']}")}
    try:
        return {**reply, "result": method(**request.get("params", {}))}
    except TypeError as why:
        return {**reply, "error": fault(-32602, f"invalid params: {why}")}
    except OSError as why:
        return {**reply, "error": fault(-32603, str(why))}


def serve(connection):
    with connection, connection.makefile("rwb", buffering=0) as stream:
        if stream.readline() != b"CONNECT 52\n":
            return
        stream.write(b"OK 1073741824\n")
        for line in stream:
            stream.write(json.dumps(answer(json.loads(line))).encode() + b"\n")


with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    while True:
        threading.Thread(target=serve, args=listener.accept()[:1], daemon=True).start()
