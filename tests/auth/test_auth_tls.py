"""Client certificates as credentials, and proxies that are identified by theirs."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKENS, bearer
from harness import main
from tls_case import TlsCase, TlsGateway, trusting

AGENT = {"san": "uri:spiffe://test/client", "name": "agent", "roles": ["reader"]}


class Certificates(TlsCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = trusting(cls.authority.pem, cls.authority.client("other", "URI:spiffe://test/x"))
        names = "DNS:proxy.example,URI:spiffe://test/proxy"
        cls.proxy = trusting(cls.authority.pem, cls.authority.client("proxy", names))

    def start(self, **auth):
        tls = {"client_ca": self.authority.pem, "client_certificates": "optional"}
        config = {**self.config(**tls), "auth": auth}
        return self.enterContext(TlsGateway(config, self.context))

    def status(self, gateway, context, headers=None, path="/mcp/v1/tools"):
        with gateway.connect(context=context) as connection:
            return connection.request("GET", path, headers or {}).status

    def test_a_mapped_name_lets_in_and_no_other_does(self):
        gateway = self.start(certificates=[AGENT])
        self.assertEqual(self.status(gateway, self.known), 200)
        self.assertEqual(self.status(gateway, self.other), 401)
        self.assertEqual(self.status(gateway, self.context), 401)
        # A certificate is of no use on the other listener, and neither is its name in a header.
        with gateway.plain(gateway.port) as connection:
            claim = {"X-Client-Cert": "spiffe://test/client"}
            self.assertEqual(connection.request("GET", "/mcp/v1/tools", claim).status, 401)

    def test_a_bad_token_is_not_mended_by_a_good_certificate(self):
        gateway = self.start(certificates=[AGENT], **TOKENS)
        self.assertEqual(self.status(gateway, self.known, bearer("wrong" * 6)), 401)
        self.assertEqual(self.status(gateway, self.other, bearer()), 200)
        self.assertEqual(self.status(gateway, self.known), 200)

    def test_a_proxy_is_known_by_its_certificate(self):
        proxy = {"certificate": "dns:proxy.example", "header": "X-User"}
        gateway = self.start(certificates=[AGENT], proxies=[proxy])
        user = {"X-User": "ann"}
        self.assertEqual(self.status(gateway, self.proxy, user), 200)
        self.assertEqual(self.status(gateway, self.proxy), 401)
        self.assertEqual(self.status(gateway, self.other, user), 401)
        self.assertEqual(self.status(gateway, self.context, user), 401)
        with gateway.plain(gateway.port) as connection:
            self.assertEqual(connection.request("GET", "/mcp/v1/tools", user).status, 401)
        # The certificate identifies the client, whatever the header contains.
        self.assertEqual(self.status(gateway, self.known, user), 200)

    def test_the_world_is_served_under_tls_with_authentication_only(self):
        tls = {"client_ca": self.authority.pem}
        config = {**self.config(**tls), "auth": {"certificates": [AGENT]}}
        config["tls"]["listen"] = "0.0.0.0:0"
        gateway = self.enterContext(TlsGateway(config, self.known))
        self.assertEqual(self.status(gateway, self.known), 200)
        del config["auth"]
        config["tls"]["listen"] = "127.0.0.1:0"
        gateway.write_config(config)
        gateway.stderr.wait_for("reload refused")
        self.assertEqual(self.status(gateway, self.known), 200)


if __name__ == "__main__":
    main()
