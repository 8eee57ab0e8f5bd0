// The checks of the stateless revision: which revision a request claims, and whether its HTTP
// headers match its body. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/message.h"
#include "mcp/methods.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// The revision that a message states in its `_meta`. Empty: none. An unknown one is
// Code::unsupported_version with the supported ones in its data.
Result<std::optional<Revision>> claimed_revision(const Message& message);

// Checks that the version header, if there is one, matches the body.
Result<void> check_version_header(const Message& message, std::optional<std::string_view> header);

// The envelope that every stateless request must have.
Result<void> check_envelope(const Message& message);

// The headers that mirror the body, if present.
struct MirrorHeaders {
  std::optional<std::string_view> version;  // MCP-Protocol-Version
  std::optional<std::string_view> method;   // Mcp-Method
  std::optional<std::string_view> name;     // Mcp-Name
};
Result<void> check_headers(const Message& message, const Method* method,
                           const MirrorHeaders& headers);

// `value` as a header can carry it: unchanged, or as `=?base64?…?=`.
std::string encode_header(std::string_view value);
// The text of a header value that may be encoded as `=?base64?…?=`; empty if the encoding is
// invalid.
std::optional<std::string> decode_header(std::string_view value);

}  // namespace patchbay::mcp
