// Shapes: what a peer is sent has no form that its revision does not know. Fields that a later
// revision brought are left out, kinds of content that it cannot say become text, and all else
// stays as it came, unknown fields included. (What is asked of a client is in mcp/question.h.)
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "mcp/items.h"
#include "mcp/reply.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// A listed item as `to` knows it.
std::string item_for(Revision to, ItemKind kind, std::string_view definition);

// Gives the result of `method` the shape of `to`. For the newest revisions with and without
// sessions that costs nothing unless something is to be done; for others at most one scan. A result
// that is not complete (the server wants input, or made a task) cannot be said to a client with a
// session and becomes an error: whoever can act on it does so before. REQUIRES: a result of an
// upstream was made with reply_of() or scanned_reply().
void shape_result(Reply& reply, std::string_view method, Revision to);

// Gives an error of an upstream that speaks `from` the meaning it has in `to`. `target` is what was
// asked for: the URI of a resource.
void shape_error(Reply& reply, std::string_view method, Revision from, Revision to,
                 std::string_view target);

// The parameters of a notification as `to` knows them.
std::string notice_for(Revision to, std::string_view method, std::string_view params);

}  // namespace patchbay::mcp
