"""An authorization server whose access tokens are JSON Web Tokens, as OpenID Connect issuers have."""

import time

from jwt_issuer import RESOURCE, Key
from oauth_server import CLIENT, AuthServer


class OidcIssuer(AuthServer):
    """An authorization server whose access tokens are JSON Web Tokens."""

    key = None

    def __init__(self, **more):
        super().__init__(**more)
        OidcIssuer.key = OidcIssuer.key or Key("a", "ES256")
        self.claims = {}
        self.on["/jwks"] = lambda exchange: exchange.answer(200, {"keys": [self.key.jwk()]})

    def issue(self, grant, **more):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": RESOURCE, "sub": "ann", "iat": now, "exp": now + 600}
        token = self.key.token({**claims, **self.claims})
        return {**super().issue(grant, **more), "access_token": token}


def oidc_settings(issuer, **oidc):
    """The settings of a gateway whose people sign in to the console there; all are admins."""
    jwt = {"issuer": issuer.issuer, "jwks": issuer.root + "/jwks", "roles": ["admin"]}
    client = {"client_id": CLIENT, "client_secret": issuer.clients[CLIENT], **oidc}
    return {"auth": {"resource": RESOURCE, "jwt": [jwt]}, "console": {"oidc": client}}
