// The answer to a message that cannot be read. Pure.
#pragma once

#include <string_view>

#include "core/result.h"
#include "mcp/message.h"

namespace patchbay::frontends {

// Unparsable text has no id, even if one could be read before the error.
inline std::string_view id_of_unreadable(const mcp::Message& message, const Error& why) {
  return why.code == Code::parse_error ? "" : message.id;
}

}  // namespace patchbay::frontends
