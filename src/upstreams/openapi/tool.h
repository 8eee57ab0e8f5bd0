// An operation as an MCP tool: its name, its description, and the schemas of its arguments and its
// result. Pure.
#pragma once

#include <string>
#include <string_view>

#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// The operation's id, or its method and path, as a name that models take.
std::string tool_name(const OpenapiDocument& document, json::NodeId operation,
                      std::string_view method, std::string_view path);

struct ToolDefinition {
  std::string text;     // Raw JSON.
  std::string problem;  // Of its schemas; empty if none.
};

// Schemas above `most` bytes are left out: the body is then not described, or the result.
ToolDefinition define_tool(const OpenapiDocument& document, json::NodeId operation,
                           const OpenapiOperation& call, std::size_t most);

// The Accept header: the document's JSON type, if it has one.
std::string accept_of(const OpenapiDocument& document, json::NodeId operation);

// The media type that the document declares for a success response; empty if it declares none.
std::string promised_media(const OpenapiDocument& document, json::NodeId operation);

// The description, or the summary, and whether the operation is deprecated.
std::string description_of(const OpenapiDocument& document, json::NodeId operation);

}  // namespace patchbay::upstreams
