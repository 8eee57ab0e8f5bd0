// finalize() is the last step of every call: it converts the reply to the form of the client's
// revision.
//
// On the caller's worker.
#pragma once

#include "gateway/call/call.h"
#include "mcp/reply.h"

namespace patchbay::gateway {

void finalize(const Call& call, mcp::Reply& reply);

}  // namespace patchbay::gateway
