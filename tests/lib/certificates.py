"""Certificates for tests, made by the openssl command in a temporary folder."""

import datetime
import pathlib
import subprocess


def openssl(folder, *args):
    subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)


def utc(days):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    return moment.strftime("%y%m%d%H%M%SZ")


EC = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
SERVER = "extendedKeyUsage=serverAuth"
CLIENT = "extendedKeyUsage=clientAuth"


class Authority:
    """Signs certificates and revokes them. Everything lies in `folder` as NAME.pem and NAME.key."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name, self.revoked = pathlib.Path(folder), name, []
        self.pem = self.path(f"{name}.pem")
        args = ["-x509", "-newkey", *EC, "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        openssl(folder, "req", *args, "-keyout", f"{name}.key", "-out", f"{name}.pem")

    def path(self, file):
        return str(self.folder / file)

    def sign(self, name, *extensions, days=1, key=EC):
        """Gives the paths of a certificate and of its key."""
        files = (f"{name}.pem", f"{name}.key")
        (self.folder / f"{name}.ext").write_text("\n".join(extensions) + "\n", encoding="ascii")
        args = ["-newkey", *key, "-nodes", "-subj", f"/CN={name}", "-keyout", files[1]]
        openssl(self.folder, "req", *args, "-out", f"{name}.csr")
        self.sign_again(name, files[0], days)
        return self.path(files[0]), self.path(files[1])

    def sign_again(self, name, out, days=1):
        """Another certificate for the same key."""
        args = ["-in", f"{name}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key"]
        args += ["-CAcreateserial", "-days", str(days), "-extfile", f"{name}.ext"]
        openssl(self.folder, "x509", "-req", *args, "-out", str(out))

    def server(self, name="server", names="DNS:localhost,IP:127.0.0.1", **more):
        return self.sign(name, SERVER, f"subjectAltName={names}", **more)

    def client(self, name="client", names="URI:spiffe://test/client", **more):
        return self.sign(name, CLIENT, f"subjectAltName={names}", **more)

    def revocations(self, *certificates, file="crl.pem"):
        """The path of a list of these certificates."""
        lines = []
        for pem in certificates:
            args = ["openssl", "x509", "-in", pem, "-noout", "-serial"]
            done = subprocess.run(args, check=True, capture_output=True, text=True)
            serial = done.stdout.strip().partition("=")[2]
            lines.append(f"R\t{utc(1)}\t{utc(-0.01)}\t{serial}\tunknown\t/CN=revoked\n")
        (self.folder / "index.txt").write_text("".join(lines), encoding="ascii")
        (self.folder / "ca.conf").write_text(
            "[ca]\ndefault_ca = all\n[all]\ndatabase = index.txt\ndefault_md = sha256\n"
            "default_crl_days = 1\n",
            encoding="ascii",
        )
        args = ["-config", "ca.conf", "-cert", f"{self.name}.pem", "-keyfile", f"{self.name}.key"]
        openssl(self.folder, "ca", "-gencrl", *args, "-out", f"{file}.new")
        (self.folder / f"{file}.new").rename(self.folder / file)
        return self.path(file)
