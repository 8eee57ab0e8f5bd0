// A call whose upstream requires a sign-in first: its client is asked to open a link, if it can be
// asked, and the call continues after the sign-in. Otherwise the reply contains the link. If all
// callers share the token, only admins are asked.
//
// On the worker that answers the call.
#pragma once

#include "gateway/call/call.h"
#include "oauth/access.h"

namespace patchbay::upstreams {

// Yields when the caller has signed in, so that the call can be repeated; its deadline is suspended
// meanwhile. Otherwise the error is the answer to the caller. Not `asks`: no client is asked.
Task<void> sign_in(const gateway::Call& call, const oauth::Access& access, bool asks = true);

// The same as the answer to the call: for a tool as its result, so that models read it too.
Result<mcp::Reply> sign_in_reply(const gateway::Call& call, const Error& error);

}  // namespace patchbay::upstreams
