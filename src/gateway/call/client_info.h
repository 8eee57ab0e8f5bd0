// The name and version that a client program states, for the log, the audit and metrics. Nothing is
// decided by them.
//
// Values only.
#pragma once

#include <string>
#include <string_view>

#include "mcp/message.h"

namespace patchbay::gateway {

// `name version` of the client that sent `request`: an `initialize`, or a request without a
// session. Both are bounded and contain only harmless characters. Empty if the client states no
// name.
std::string client_info_of(const mcp::Message& request);

// The name in such a text; "unknown" if it is empty.
std::string_view client_name(std::string_view client_info);

}  // namespace patchbay::gateway
