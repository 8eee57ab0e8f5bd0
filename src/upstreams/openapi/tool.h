// An operation as a tool of MCP: its name, what it says about itself, and the schemas of what it
// takes and gives. Pure.
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
  std::string problem;  // With its schemas; empty if none.
};

// Schemas beyond `most` bytes are left out: the body is then not described, or the result.
ToolDefinition define_tool(const OpenapiDocument& document, json::NodeId operation,
                           const OpenapiOperation& call, std::size_t most);

// What the answer is best asked for as: the document's JSON, if it has one. A header value.
std::string accept_of(const OpenapiDocument& document, json::NodeId operation);

// The media type that the document promises for a good answer; empty if it does not say one.
std::string promised_media(const OpenapiDocument& document, json::NodeId operation);

// The description, or the summary, and whether the operation is deprecated.
std::string description_of(const OpenapiDocument& document, json::NodeId operation);

}  // namespace patchbay::upstreams
