// What a service answered, as a result of MCP. Nothing of the answer's head is passed on but its
// status and its media type. Pure.
#pragma once

#include <string>
#include <string_view>

#include "mcp/reply.h"

namespace patchbay::upstreams {

struct OpenapiAnswer {
  int status = 200;
  std::string media;  // As the Content-Type says it.
  std::string body;
  std::string uri;  // What names it, for bytes that are embedded.

  bool good() const { return status >= 200 && status <= 299; }
};

// The result of a tools/call: JSON as text and as structured content, text as text, images and
// sounds as such, other bytes as an embedded resource. An answer that says it went wrong is a
// result that says so, with the status and the text.
mcp::Reply tool_reply(const OpenapiAnswer& answer);

// The result of a resources/read. An answer that says it went wrong is an Error.
Result<mcp::Reply> read_reply(const OpenapiAnswer& answer);

}  // namespace patchbay::upstreams
