"""Shared by the tests of `kind: openapi`: a document, and a gateway in front of a service that
records every byte it receives."""

import json

from harness import Gateway, TestCase, stateless_call, stateless_request, result_of
from raw_service import RawService

PET = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "example": "Rex"},
        "tag": {"type": "string", "nullable": True},
        "age": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "kin": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
}
ID = {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}}
TEXTS = {"type": "array", "items": {"type": "string"}}
LIST = {"application/json": {"schema": {"type": "array"}}}
JSON_PET = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}

PETSTORE = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "summary": "All pets",
                "tags": ["pets"],
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
                    {"name": "tags", "in": "query", "schema": TEXTS},
                ],
                "responses": {"200": {"description": "ok", "content": LIST}},
            },
            "post": {
                "operationId": "createPet",
                "requestBody": {"required": True, "content": JSON_PET},
                "responses": {"201": {"description": "made", "content": JSON_PET}},
            },
        },
        "/pets/{petId}": {
            "parameters": [ID],
            "get": {
                "operationId": "showPet",
                "responses": {"200": {"description": "ok", "content": JSON_PET}},
            },
            "put": {"operationId": "replacePet", "deprecated": True, "description": "Swaps one."},
            "delete": {"operationId": "dropPet", "responses": {"204": {"description": "gone"}}},
        },
        "/pets/{petId}/photo": {
            "parameters": [ID],
            "get": {"operationId": "photo"},
            "post": {
                "operationId": "addPhoto",
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "file": {"type": "string", "format": "binary"},
                                    "note": {"type": "string"},
                                },
                            }
                        }
                    }
                },
            },
        },
    },
    "components": {"schemas": {"Pet": PET}},
}


def upstream(service, **settings):
    return {"kind": "openapi", "document": f"{service.url}/openapi.json", **settings}


def serve_document(service, document, path="/openapi.json"):
    body = json.dumps(document).encode()
    service.on[f"GET {path}"] = lambda request: (200, "application/json", body)


def parameter(name, location="query", required=False, **more):
    return {"name": name, "in": location, "required": required or location == "path", **more}


class OpenapiCase(TestCase):
    """One gateway in front of one service for all tests of a class."""

    document, settings = PETSTORE, {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service = cls.enterClassContext(RawService())
        serve_document(cls.service, cls.document)
        config = {"workers": 2, "upstreams": {"pets": upstream(cls.service, **cls.settings)}}
        cls.gateway = cls.enterClassContext(Gateway(config))

    def call(self, tool, **arguments):
        return result_of(stateless_call(self.gateway, f"pets__{tool}", **arguments))

    def sent(self, tool, **arguments):
        """What reaches the service."""
        result = self.call(tool, **arguments)
        self.assertFalse(result.get("isError"), result)
        return self.service.last()

    def assert_refused(self, tool, **arguments):
        """The call fails for its arguments, and the service receives nothing."""
        before = len(self.service.seen)
        result = self.call(tool, **arguments)
        self.assertTrue(result.get("isError"), result)
        self.assertIn("Invalid arguments", result["content"][0]["text"])
        self.assertEqual(len(self.service.seen), before, self.service.last())

    def tools(self):
        tools = result_of(stateless_request(self.gateway, "tools/list"))["tools"]
        return {tool["name"].removeprefix("pets__"): tool for tool in tools}
