"""A D-Bus with the units of systemd and nothing else: enough of the protocol for a client that
authenticates, lists the units and reads their properties."""

import pathlib
import socket
import struct
import threading

SIGNATURE_FIELD, REPLY_FIELD, DESTINATION_FIELD = 8, 5, 6
LITTLE, RETURN, VERSION = b"l", 2, 1


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def text(data, value):
    raw = value.encode()
    return pad(data, 4) + struct.pack("<I", len(raw)) + raw + b"\0"


def signature(data, value):
    return data + bytes([len(value)]) + value.encode() + b"\0"


def units_body(units):
    """a(ssssssouso): the length of the array, then each unit on a boundary of 8."""
    array = b"\0" * 8  # So that boundaries fall as behind the length, padded to 8.
    for unit in units:
        array = pad(array, 8)
        for value in unit[:7]:
            array = text(array, value)
        array = pad(array, 4) + struct.pack("<I", unit[7])
        for value in unit[8:]:
            array = text(array, value)
    return struct.pack("<I", len(array) - 8) + b"\0" * 4 + array[8:]


def reply(serial, kind, body):
    fields = b""
    for code, sign, value in (
        (REPLY_FIELD, "u", serial),
        (DESTINATION_FIELD, "s", ":1.1"),
        (SIGNATURE_FIELD, "g", kind),
    ):
        fields = signature(pad(fields, 8) + bytes([code]), sign)
        if sign == "u":
            fields = pad(fields, 4) + struct.pack("<I", value)
        elif sign == "s":
            fields = text(fields, value)
        else:
            fields = signature(fields, value)
    head = LITTLE + bytes([RETURN, 0, VERSION]) + struct.pack("<II", len(body), 1000 + serial)
    return pad(head + struct.pack("<I", len(fields)) + fields, 8) + body


class FakeBus:
    """Units are (id, description, load, active, sub, following, path, job, job type, job path)."""

    def __init__(self, folder, units, properties):
        self.path = pathlib.Path(folder) / "bus"
        self.units, self.properties = units, properties
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def environment(self):
        return {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.path}"}

    def close(self):
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                if self.greet(connection, stream):
                    while self.answer(connection, stream):
                        pass

    def greet(self, connection, stream):
        while line := stream.readline():
            word = line.strip(b"\0\r\n").split(b" ")[0]
            answers = {
                b"AUTH": b"DATA\r\n",
                b"DATA": b"OK 0123456789abcdef0123456789abcdef\r\n",
                b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD\r\n",
            }
            if word == b"BEGIN":
                return True
            connection.sendall(answers[word])
        return False

    def answer(self, connection, stream):
        head = stream.read(16)
        if len(head) < 16:
            return False
        body_size, serial, fields_size = struct.unpack("<III", head[4:])
        fields = stream.read(fields_size + -fields_size % 8)
        body = stream.read(body_size)
        if b"ListUnits" in fields:
            connection.sendall(reply(serial, "a(ssssssouso)", units_body(self.units)))
        elif b"Hello" in fields:
            connection.sendall(reply(serial, "s", text(b"", ":1.1")))
        else:
            found = [value for name, value in self.properties.items() if name.encode() in body]
            variant = text(signature(b"", "s"), found[0] if found else "")
            connection.sendall(reply(serial, "v", variant))
        return True
