"""A browser's part in the sessions of the console, over raw HTTP."""

import re

from auth_case import AuthCase, bearer

CSRF = "X-Patchbay-CSRF"
SESSION = "/console/api/session"
PAGE = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}


def cookie_of(response):
    """(name, value, attributes) of the only cookie that the response sets."""
    name, value, rest = re.fullmatch(r"([^=]+)=([^;]*); (.*)", response.header("Set-Cookie")).groups()
    return name, value, rest.split("; ")


class Page:
    """The console in a browser: what it stores, and what it sends with each request."""

    def __init__(self, gateway, host=None, connect=None):
        self.gateway, self.cookie, self.csrf = gateway, None, "none"
        self.host, self.open = host, connect or gateway.connect

    def request(self, method, path, headers=None, body=None, without=()):
        fields = {**PAGE, CSRF: self.csrf}
        if method != "GET":
            fields["Origin"] = f"http://{self.host or f'127.0.0.1:{self.gateway.port}'}"
        if self.cookie:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookie.items())
        fields |= headers or {}
        fields = {name: value for name, value in fields.items() if name not in without}
        with self.open() as connection:
            return connection.request(method, path, fields, body)

    def sign_in(self, headers):
        """The answer; the secrets are stored if it is a success."""
        response = self.request("POST", SESSION, headers, b"")
        if response.status == 200:
            self.csrf = response.json()["csrf"]
            if response.header("Set-Cookie"):
                name, value, _ = cookie_of(response)
                self.cookie = {name: value}
        return response

    def state(self, **more):
        return self.request("GET", SESSION, **more).json()

    def status(self, path="/control/v1/status", **more):
        return self.request("GET", path, **more).status


class ConsoleCase(AuthCase):
    def page(self, gateway, token=None, **more):
        page = Page(gateway, **more)
        if token:
            response = page.sign_in(bearer(token))
            self.assertEqual(response.status, 200, response.body)
        return page
