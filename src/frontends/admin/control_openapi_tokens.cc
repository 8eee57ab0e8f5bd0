// The parts of the OpenAPI document of the control API that are about tokens of callers.
#include "frontends/admin/control_openapi_parts.h"

namespace patchbay::frontends {

const std::string_view kTokenPaths = R"json(
  "/control/v1/tokens": {"get": {"operationId": "tokens", "tags": ["control"],
    "summary": "The tokens of callers in auth.token_file, without their secrets. Only for admins.",
    "responses": {"200": {"description": "The newest first, at most 500.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tokens"}}}},
     "403": {"$ref": "#/components/responses/Error"},
     "default": {"$ref": "#/components/responses/Error"}}},
   "post": {"operationId": "make_token", "tags": ["control"],
    "summary": "Makes a token, which only this answer has. Only for admins, with roles that they have; audited.",
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewToken"}}}},
    "responses": {"201": {"description": "The token. It can be used at once.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Token"}}}},
     "400": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"},
     "default": {"$ref": "#/components/responses/Error"}}}},
  "/control/v1/tokens/{id}": {"parameters": [{"$ref": "#/components/parameters/tokenId"}],
   "delete": {"operationId": "revoke_token", "tags": ["control"],
    "summary": "Revokes a token at once. Only for admins; audited.",
    "responses": {"200": {"description": "It is revoked.",
      "content": {"application/json": {"schema": {"type": "object", "required": ["id", "revoked"],
         "properties": {"id": {"type": "string"}, "revoked": {"const": true}}}}}},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "default": {"$ref": "#/components/responses/Error"}}}},)json";

const std::string_view kTokenParameters = R"json(
   "tokenId": {"name": "id", "in": "path", "required": true, "description": "The id of the token.",
    "schema": {"type": "string"}},)json";

const std::string_view kTokenSchemas = R"json(
   "Token": {"type": "object", "required": ["id", "name", "roles", "scopes", "created"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string", "description": "Of the caller."},
     "roles": {"type": "array", "items": {"type": "string"}}, "scopes": {"type": "array", "items": {"type": "string"}},
     "created": {"type": "string"}, "expires": {"type": "string"}, "expired": {"type": "boolean"},
     "token": {"type": "string", "description": "Only in the answer that has made it."}},
    "additionalProperties": false},
   "NewToken": {"type": "object", "required": ["name"],
    "properties": {"name": {"type": "string"}, "roles": {"type": "array", "items": {"type": "string"}},
     "expires": {"type": "string", "description": "Its lifetime, such as 24h; otherwise auth.max_token_ttl."}},
    "additionalProperties": false},
   "Tokens": {"type": "object", "required": ["needed", "count", "tokens", "roles"],
    "properties": {"needed": {"type": "boolean", "description": "False: callers need no credentials."},
     "closed": {"type": "string", "description": "Why no token can be made."}, "count": {"type": "integer"},
     "tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"}},
     "roles": {"type": "array", "items": {"type": "string"}, "description": "Those that the caller can give."},
     "max_tokens": {"type": "integer"}, "max_lifetime_s": {"type": "integer"}}, "additionalProperties": false},)json";

}  // namespace patchbay::frontends
