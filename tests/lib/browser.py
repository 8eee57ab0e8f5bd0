"""A browser for tests: follows links and redirects, stores cookies, presses the one button."""

import http.client
import re
import urllib.parse


class Browser:
    def __init__(self, headers=None, secret=None, user=None):
        """`secret` (and `user`) is what its user enters where a page asks for credentials."""
        self.form = {"secret": secret or "", "user": user or ""}
        self.cookies = {}  # Host and port -> name -> value.
        self.headers = headers or {}
        self.visited = []

    def request(self, method, url, headers=None):
        """(status, headers, text) without following anything. A POST sends the form."""
        parts = urllib.parse.urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        jar = self.cookies.setdefault(parts.netloc, {})
        fields = {**self.headers, **(headers or {})}
        if jar:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
        body = None
        if method == "POST":
            body = urllib.parse.urlencode({name: text for name, text in self.form.items() if text})
            fields["Origin"] = f"{parts.scheme}://{parts.netloc}"
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        connection.request(method, path, body, headers=fields)
        response = connection.getresponse()
        text = response.read().decode()
        for value in response.headers.get_all("Set-Cookie") or []:
            name, _, rest = value.partition("=")
            jar[name] = rest.split(";")[0]
        connection.close()
        self.visited.append(url)
        return response.status, response.headers, text

    def follow(self, method, url):
        """The same, redirects followed."""
        for _ in range(10):
            status, headers, text = self.request(method, url)
            if status not in (302, 303):
                return status, headers, text
            method, url = "GET", urllib.parse.urljoin(url, headers["Location"])
        raise AssertionError("redirects without end")

    def sign_in(self, url):
        """Opens the page, continues, signs in, returns: (status, text) of the last page."""
        status, _, text = self.request("GET", url)
        if status != 200 or not re.search(r'<form method="post">', text):
            return status, text
        status, _, text = self.follow("POST", url)
        return status, text
