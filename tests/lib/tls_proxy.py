"""A TLS proxy in front of a plain port, and a self-signed certificate for it."""

import socket
import ssl
import subprocess
import threading


def make_certificate(folder):
    """A self-signed certificate for localhost; gives the paths of it and of its key."""
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        + ["-days", "1", "-subj", "/CN=test", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", key, "-out", cert],
        check=True,
        capture_output=True,
    )
    return cert, key


class TlsProxy:
    """Accepts TLS connections and forwards their data to a local port."""

    def __init__(self, cert, key, port):
        self.target = port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(cert, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with self.context.wrap_socket(client, server_side=True) as outer, \
                    socket.create_connection(("127.0.0.1", self.target)) as inner:
                back = threading.Thread(target=pass_on, args=(inner, outer), daemon=True)
                back.start()
                pass_on(outer, inner)
                inner.shutdown(socket.SHUT_RDWR)
                back.join()
        except OSError:
            pass  # A client that does not trust us leaves in the handshake.


def pass_on(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
