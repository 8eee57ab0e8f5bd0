// The parts of the OpenAPI document that are the same for every catalog, as they are served.
#include "frontends/rest/openapi_parts.h"

namespace patchbay::frontends {

const std::string_view kFixedPaths = R"json(
"/mcp/v1/tools": {"get": {"operationId": "list_tools", "tags": ["gateway"], "summary": "All tools.",
  "parameters": [
    {"$ref": "#/components/parameters/server"}, {"$ref": "#/components/parameters/q"},
    {"$ref": "#/components/parameters/cursor"}, {"$ref": "#/components/parameters/format"}],
  "responses": {
    "200": {"description": "The tools, as a list or by name.", "content": {"application/json": {
      "schema": {"anyOf": [{"$ref": "#/components/schemas/Tools"}, {"type": "object"}]}}}},
    "400": {"$ref": "#/components/responses/McpError"},
    "503": {"$ref": "#/components/responses/McpError"}}}},
"/mcp/v1/tools/{name}": {
  "parameters": [{"$ref": "#/components/parameters/tool"}],
  "get": {"operationId": "show_tool", "tags": ["gateway"], "summary": "One tool.",
    "responses": {
      "200": {"description": "The tool.", "content": {"application/json": {
        "schema": {"$ref": "#/components/schemas/Tool"}}}},
      "404": {"$ref": "#/components/responses/McpError"},
      "default": {"$ref": "#/components/responses/McpError"}}},
  "post": {"operationId": "call_tool", "tags": ["gateway"], "summary": "Calls a tool.",
    "requestBody": {"$ref": "#/components/requestBodies/Arguments"},
    "responses": {
      "200": {"$ref": "#/components/responses/McpResult"},
      "202": {"$ref": "#/components/responses/Question"},
      "400": {"$ref": "#/components/responses/McpError"},
      "404": {"$ref": "#/components/responses/McpError"},
      "default": {"$ref": "#/components/responses/McpError"}}}},
"/mcp/v1/tools/{name}/answers/{state}": {
  "parameters": [
    {"$ref": "#/components/parameters/tool"}, {"$ref": "#/components/parameters/state"}],
  "post": {"operationId": "answer_call", "tags": ["gateway"],
    "summary": "Answers what a tool asked.",
    "requestBody": {"$ref": "#/components/requestBodies/Answers"},
    "responses": {
      "200": {"$ref": "#/components/responses/McpResult"},
      "202": {"$ref": "#/components/responses/Question"},
      "409": {"$ref": "#/components/responses/McpError"},
      "default": {"$ref": "#/components/responses/McpError"}}}},
"/api/{name}/answers/{state}": {
  "parameters": [
    {"$ref": "#/components/parameters/tool"}, {"$ref": "#/components/parameters/state"}],
  "post": {"operationId": "answer_question", "tags": ["gateway"],
    "summary": "Answers what a tool asked.",
    "requestBody": {"$ref": "#/components/requestBodies/Answers"},
    "responses": {
      "200": {"description": "The structured content of the result, or its content.",
        "content": {"application/json": {"schema": {}}}},
      "202": {"$ref": "#/components/responses/Question"},
      "409": {"$ref": "#/components/responses/Conflict"},
      "default": {"$ref": "#/components/responses/Error"}}}},
"/mcp/v1/resources": {"get": {"operationId": "list_resources", "tags": ["gateway"],
  "summary": "All resources and templates.",
  "parameters": [
    {"$ref": "#/components/parameters/server"}, {"$ref": "#/components/parameters/q"},
    {"$ref": "#/components/parameters/cursor"}, {"$ref": "#/components/parameters/format"}],
  "responses": {
    "200": {"description": "The resources, as a list or by name.", "content": {"application/json": {
      "schema": {"anyOf": [{"$ref": "#/components/schemas/Resources"}, {"type": "object"}]}}}},
    "400": {"$ref": "#/components/responses/McpError"},
    "503": {"$ref": "#/components/responses/McpError"}}}},
"/mcp/v1/resources/{name}": {
  "parameters": [{"$ref": "#/components/parameters/resource"}],
  "get": {"operationId": "read_resource", "tags": ["gateway"], "summary": "Reads a resource.",
    "responses": {
      "200": {"$ref": "#/components/responses/McpResult"},
      "404": {"$ref": "#/components/responses/McpError"},
      "default": {"$ref": "#/components/responses/McpError"}}}},
"/agents": {"get": {"operationId": "list_agents", "tags": ["gateway"],
  "summary": "All tools and resources as one list.",
  "parameters": [
    {"$ref": "#/components/parameters/server"}, {"$ref": "#/components/parameters/q"}],
  "responses": {
    "200": {"description": "Tools, then resources.", "content": {"application/json": {
      "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Agent"}}}}},
    "400": {"$ref": "#/components/responses/BadRequest"},
    "503": {"$ref": "#/components/responses/Unavailable"}}}},
"/mcp/v1/health": {"get": {"operationId": "health", "tags": ["gateway"],
  "summary": "How the upstreams are.",
  "responses": {
    "200": {"description": "At least one upstream answers.", "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Health"}}}},
    "503": {"description": "None does.", "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Health"}}}}}}}
)json";

const std::string_view kFixedComponents = R"json(
"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer",
  "description": "Not asked for by a gateway that only this machine can reach."}},
"parameters": {
  "tool": {"name": "name", "in": "path", "required": true, "schema": {"type": "string"},
    "description": "upstream.tool; the tool alone where only one upstream has it."},
  "resource": {"name": "name", "in": "path", "required": true, "schema": {"type": "string"},
    "description": "The URI, or the name where only one resource has it."},
  "state": {"name": "state", "in": "path", "required": true, "schema": {"type": "string"},
    "description": "As the link has it."},
  "server": {"name": "server", "in": "query", "schema": {"type": "string"},
    "description": "Only what this upstream offers."},
  "q": {"name": "q", "in": "query", "schema": {"type": "string"},
    "description": "Only what has these words in its name or description."},
  "cursor": {"name": "cursor", "in": "query", "schema": {"type": "string"},
    "description": "The nextCursor of the page before."},
  "format": {"name": "format", "in": "query", "schema": {"enum": ["list", "map"]},
    "description": "A list, or a map by name."}},
"requestBodies": {
  "Arguments": {"description": "The arguments of the tool.",
    "content": {"application/json": {"schema": {"type": "object"}}}},
  "Answers": {"description": "An answer for the key of each question.",
    "content": {"application/json": {"schema": {"type": "object", "additionalProperties": {
      "type": "object", "required": ["action"], "properties": {
        "action": {"enum": ["accept", "decline", "cancel"]}, "content": {"type": "object"}}}}}}}},
"responses": {
  "McpResult": {"description": "The result in the words of MCP, also of a tool that failed.",
    "content": {"application/json": {"schema": {"type": "object"}}}},
  "McpError": {"description": "What went wrong in the words of MCP.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/McpError"}}}},
  "Question": {"description": "The tool asks something before it goes on.",
    "headers": {"Location": {"description": "Where to answer.", "schema": {"type": "string"}}},
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Questions"}}}},
  "Error": {"description": "What went wrong.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "BadRequest": {"description": "The arguments or the URL are wrong.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "NotFound": {"description": "There is no such tool or resource.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "NotAcceptable": {"description": "Accept allows no type that the answer could have.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "Changed": {"description": "The resource is not what If-Match names.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "Conflict": {"description": "The link has been used, has expired, or was not made here.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "TooLarge": {"description": "The body exceeds limits.max_body_size.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "WrongType": {"description": "The body is not application/json.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "NoSuchRange": {"description": "The resource has no such range.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "ToolFailed": {"description": "The tool was called and reports that it failed.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "UpstreamFailed": {"description": "The upstream was lost, or answered with something malformed.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "Unavailable": {"description": "The upstream is down, or too many calls are running.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "Timeout": {"description": "The upstream did not answer in time.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}}
)json";

const std::string_view kFixedSchemas = R"json(
"Error": {"type": "object", "required": ["error", "message"], "properties": {
  "error": {"type": "string", "description": "The reason phrase of the status."},
  "message": {"type": "string"},
  "content": {"type": "array", "description": "Of a tool that failed: its content.",
    "items": {"type": "object"}}}},
"McpError": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object",
  "required": ["code", "message"], "properties": {
    "code": {"type": "integer"}, "message": {"type": "string"}, "data": {}}}}},
"Tool": {"type": "object", "required": ["name", "inputSchema"], "properties": {
  "name": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"},
  "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}},
"Agent": {"type": "object", "required": ["type", "name", "href"], "properties": {
  "type": {"enum": ["tool", "resource"]}, "name": {"type": "string"}, "uri": {"type": "string"},
  "href": {"type": "string", "description": "Where to POST the arguments, or to GET it."}}},
"Tools": {"type": "object", "required": ["tools"], "properties": {
  "tools": {"type": "array", "items": {"$ref": "#/components/schemas/Tool"}},
  "nextCursor": {"type": "string"}}},
"Resources": {"type": "object", "required": ["resources"], "properties": {
  "resources": {"type": "array", "items": {"type": "object", "required": ["uri"],
    "properties": {"uri": {"type": "string"}}}},
  "resourceTemplates": {"type": "array", "items": {"type": "object"}},
  "nextCursor": {"type": "string"}}},
"ResourceContent": {"type": "object", "required": ["type", "uri", "mimeType"], "properties": {
  "type": {"enum": ["text", "blob"]}, "uri": {"type": "string"}, "mimeType": {"type": "string"},
  "text": {"type": ["string", "null"]},
  "blob": {"type": ["string", "null"], "contentEncoding": "base64"}}},
"ResourceForm": {"description": "One part, or all of them.", "anyOf": [
  {"$ref": "#/components/schemas/ResourceContent"},
  {"type": "array", "items": {"$ref": "#/components/schemas/ResourceContent"}}]},
"Questions": {"type": "object", "required": ["status", "questions"], "properties": {
  "status": {"const": "input_required"},
  "answer_at": {"type": "string", "description": "POST the answers there."},
  "questions": {"type": "object", "additionalProperties": {"type": "object"}}}},
"Health": {"type": "object", "required": ["status", "servers", "tools", "resources", "states"],
  "properties": {
    "status": {"enum": ["UP", "DEGRADED", "DOWN"]}, "service": {"type": "string"},
    "servers": {"type": "integer"}, "tools": {"type": "integer"}, "resources": {"type": "integer"},
    "states": {"type": "array", "items": {"type": "object"}}}}
)json";

}  // namespace patchbay::frontends
