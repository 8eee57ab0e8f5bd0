"""JSON and JSON-RPC as an attacker writes them: a table of bodies and the expected answers."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BOTH, Gateway, McpSession, TestCase, fake, fake_config, main, result_of

NOT_JSON = {
    "empty": b"",
    "blank": b"  \n",
    "cut short": b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    "trailing text": b'{"jsonrpc":"2.0","id":1,"method":"ping"} x',
    "two values": b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}',
    "trailing comma": b'{"jsonrpc":"2.0","id":1,"method":"ping",}',
    "single quotes": b"{'jsonrpc':'2.0','id':1,'method':'ping'}",
    "no quotes": b'{jsonrpc:"2.0",id:1,method:"ping"}',
    "comment": b'{"jsonrpc":"2.0",/**/"id":1,"method":"ping"}',
    "NaN": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    "Infinity": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":Infinity}}',
    "leading zero": b'{"jsonrpc":"2.0","id":01,"method":"ping"}',
    "plus sign": b'{"jsonrpc":"2.0","id":+1,"method":"ping"}',
    "bare point": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1.}}',
    "bad escape": b'{"jsonrpc":"2.0","id":1,"method":"pi\\xng"}',
    "short \\u": b'{"jsonrpc":"2.0","id":1,"method":"pi\\u12"}',
    "raw newline in a string": b'{"jsonrpc":"2.0","id":1,"method":"pi\nng"}',
    "raw NUL": b'{"jsonrpc":"2.0","id":1,"method":"ping\0"}',
    "byte order mark": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
    "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    "lone byte": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}',
    "overlong slash": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xc0\xaf"}}',
    "UTF-8 surrogate": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xed\xa0\x80"}}',
    "cut sequence": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xe2\x82"}}',
    "beyond Unicode": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xf5\x80\x80\x80"}}',
    "deep arrays": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
    + b"[" * 70
    + b"]" * 70
    + b"}}",
    "100,000 deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "misspelled literal": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":ture}}',
    "mismatched ends": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1}}',
}

NOT_A_REQUEST = {
    "number": b"5",
    "string": b'"ping"',
    "null": b"null",
    "true": b"true",
    "empty object": b"{}",
    "no version": b'{"id":1,"method":"ping"}',
    "version 1.0": b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "version as number": b'{"jsonrpc":2.0,"id":1,"method":"ping"}',
    "method as number": b'{"jsonrpc":"2.0","id":1,"method":5}',
    "method as null": b'{"jsonrpc":"2.0","id":1,"method":null}',
    "Method": b'{"jsonrpc":"2.0","id":1,"Method":"ping"}',
    "METHOD": b'{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}',
    "id null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "id object": b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "id array": b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    "id true": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "id fraction": b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "id huge": b'{"jsonrpc":"2.0","id":"' + b"i" * 5000 + b'","method":"ping"}',
    "method twice": b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    "id twice": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    "params twice": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}',
    "method twice, escaped": b'{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/list"}',
    "too many params": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{'
    + b",".join(b'"k%d":0' % i for i in range(50_000))
    + b"}}",
    "too many members of _meta": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{'
    + b",".join(b'"k%d":0' % i for i in range(50_000))
    + b"}}}",
    "_meta twice": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":1,"_meta":{}}}',
    "request and response": b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    "result and error": b'{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
}


class JsonTable(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config({"fake": fake()})))
        cls.session = cls.enterClassContext(McpSession(cls.gateway))

    def post(self, body, **headers):
        fields = {"Accept": BOTH, "Content-Type": "application/json", **headers}
        with self.gateway.connect() as connection:
            return connection.request("POST", "/mcp", fields, body)

    def check(self, table, codes):
        headers = (self.session.headers(), {"MCP-Protocol-Version": "2026-07-28"}, {})
        for name, body in table.items():
            for fields in headers:
                with self.subTest(name, version=fields.get("MCP-Protocol-Version")):
                    response = self.post(body, **fields)
                    self.assertEqual(response.status, 400, response.body)
                    answer = response.json()
                    self.assertIn(answer["error"]["code"], codes, answer)
                    self.assertEqual(answer["jsonrpc"], "2.0")
                    if answer["error"]["code"] == -32700:
                        self.assertIsNone(answer.get("id"))
        self.assertEqual(result_of(self.session.request("ping")), {})

    def test_what_is_not_json(self):
        self.check(NOT_JSON, (-32700,))

    def test_what_is_not_a_request(self):
        # A stateless header may be checked before the shape of an otherwise odd message.
        self.check(NOT_A_REQUEST, (-32600, -32602, -32700))

    def test_duplicate_names_in_params(self):
        for body in (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fake__echo",'
            b'"name":"fake__die","arguments":{}}}',
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fake__echo",'
            b'"arguments":{},"arguments":{"text":"second"}}}',
        ):
            response = self.post(body, **self.session.headers())
            self.assertIn(response.status, (200, 400))
            self.assertIn(response.json()["error"]["code"], (-32600, -32602, -32700))

    def test_a_long_number_does_not_hurt(self):
        body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1%s}}' % (b"0" * 1_000_000)
        response = self.post(body, **self.session.headers())
        self.assertIn(response.status, (200, 400))

    def test_good_but_unusual_json_is_accepted(self):
        for name, body in {
            "blanks": b' \r\n\t{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" } \n',
            "escaped keys and values": b'{"\\u006asonrpc":"2.0","id":1,"met\\u0068od":"p\\u0069ng"}',
            "unknown members": b'{"jsonrpc":"2.0","id":1,"method":"ping","extra":[{"a":[[]]}]}',
            "any order": b'{"params":{},"method":"ping","id":1,"jsonrpc":"2.0"}',
            "depth 60": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
            + b"[" * 58
            + b"]" * 58
            + b"}}",
            "surrogate pair": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud83d\\ude00"}}',
        }.items():
            with self.subTest(name):
                response = self.post(body, **self.session.headers())
                self.assertEqual(response.status, 200, response.body)
                self.assertEqual(json.loads(response.body)["result"], {})


if __name__ == "__main__":
    main()
