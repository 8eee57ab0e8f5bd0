// What the headers of an answer say about how much its caller may still ask. Pure.
#pragma once

#include <string>

#include "gateway/call.h"
#include "mcp/reply.h"

namespace patchbay::frontends {

// Header lines, each with its CRLF; empty where nothing is bounded.
std::string quota_fields(const gateway::Call& call, const mcp::Reply& reply);

}  // namespace patchbay::frontends
