// A call whose upstream wants somebody to sign in first: its client is asked to open a link, if it
// can be, and the call goes on when that is done; otherwise the reply says which link to open.
// Where all callers share what is given, only admins are asked.
//
// On the worker that the call is answered on.
#pragma once

#include "gateway/call/call.h"
#include "oauth/access.h"

namespace patchbay::upstreams {

// Yields when the caller has signed in, so that the call can be tried again; its time stands still
// meanwhile. Otherwise the error is the answer to the caller. Not `asks`: nobody is asked.
Task<void> sign_in(const gateway::Call& call, const oauth::Access& access, bool asks = true);

// That, as the answer to the call: of a tool, as its result, so that models read it
// too.
Result<mcp::Reply> sign_in_reply(const gateway::Call& call, const Error& error);

}  // namespace patchbay::upstreams
