// A response of a service as an MCP result. Of the head only the status and the media type are
// used. Pure.
#pragma once

#include <string>
#include <string_view>

#include "mcp/reply.h"

namespace patchbay::upstreams {

struct OpenapiAnswer {
  int status = 200;
  std::string media;  // From the Content-Type.
  std::string body;
  std::string uri;  // Its name, for bytes that are embedded.

  bool good() const { return status >= 200 && status <= 299; }
};

// The result of a tools/call: JSON as text and as structured content, text as text, images and
// audio as such, other bytes as an embedded resource. An error response is an error result with the
// status and the text.
mcp::Reply tool_reply(const OpenapiAnswer& answer);

// The result of a resources/read. An error response is an Error.
Result<mcp::Reply> read_reply(const OpenapiAnswer& answer);

}  // namespace patchbay::upstreams
