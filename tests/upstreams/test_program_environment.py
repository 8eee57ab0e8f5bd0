"""The environment of programs: what reaches the network, and what is passed to all of them."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, main, text_of

PROXIES = {
    "HTTP_PROXY": "http://proxy.example:3128",
    "https_proxy": "http://proxy.example:3129",
    "NO_PROXY": "localhost,.internal",
}
CERTIFICATES = {
    "SSL_CERT_FILE": "/etc/own/ca.pem",
    "SSL_CERT_DIR": "/etc/own/certs",
    "NODE_EXTRA_CA_CERTS": "/etc/own/ca.pem",
    "REQUESTS_CA_BUNDLE": "/etc/own/ca.pem",
    "CURL_CA_BUNDLE": "/etc/own/ca.pem",
}


class Environment(TestCase):
    def environment(self, gateway, upstream="fake"):
        with McpSession(gateway) as session:
            return json.loads(text_of(session.call(f"{upstream}__env")))

    def test_proxies_and_certificates_are_passed(self):
        wanted = {**PROXIES, **CERTIFICATES}
        with Gateway({"upstreams": {"fake": fake()}}, env={**wanted, "SECRET": "s"}) as gateway:
            got = self.environment(gateway)
        self.assertEqual({name: got.get(name) for name in wanted}, wanted)
        self.assertNotIn("SECRET", got)

    def test_a_proxy_with_a_password_is_passed_by_name_only(self):
        secret = "http://me:secret@proxy.example:3128"
        upstreams = {"fake": fake(), "trusted": fake(env_pass=["HTTPS_PROXY"])}
        env = {"HTTP_PROXY": PROXIES["HTTP_PROXY"], "HTTPS_PROXY": secret}
        with Gateway({"upstreams": upstreams}, env=env) as gateway:
            got = self.environment(gateway)
            self.assertEqual(got.get("HTTP_PROXY"), PROXIES["HTTP_PROXY"])
            self.assertNotIn("HTTPS_PROXY", got)
            self.assertEqual(self.environment(gateway, "trusted")["HTTPS_PROXY"], secret)

    def test_env_overrides_them(self):
        own = fake(env={"HTTP_PROXY": "http://other.example:1"})
        with Gateway({"upstreams": {"fake": own}}, env=PROXIES) as gateway:
            self.assertEqual(self.environment(gateway)["HTTP_PROXY"], "http://other.example:1")

    def test_env_pass_of_all_programs(self):
        config = {"upstreams": {"a": fake(), "b": fake(env_pass=["B"])}, "stdio": {"env_pass": ["ALL"]}}
        with Gateway(config, env={"ALL": "1", "B": "2", "C": "3"}) as gateway:
            a, b = self.environment(gateway, "a"), self.environment(gateway, "b")
        self.assertEqual([a.get(name) for name in ("ALL", "B", "C")], ["1", None, None])
        self.assertEqual([b.get(name) for name in ("ALL", "B", "C")], ["1", "2", None])


if __name__ == "__main__":
    main()
