// Shapes convert a message to the revision of its receiver. Newer fields are dropped, content types
// that it does not have become text, and everything else stays unchanged, unknown fields included.
// (For requests to a client see mcp/question.h.) Pure.
#pragma once

#include <string>
#include <string_view>

#include "mcp/items.h"
#include "mcp/reply.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// A listed item in the form of `to`.
std::string item_for(Revision to, ItemKind kind, std::string_view definition);

// Converts the result of `method` to `to`. For the newest revisions with and without sessions that
// costs nothing unless something must change; for others at most one scan. An incomplete result
// (input required, or a created task) has no session-based form and becomes an error: code that can
// act on it does so before. REQUIRES: a result of an upstream was made with reply_of() or
// scanned_reply().
void shape_result(Reply& reply, std::string_view method, Revision to);

// Converts an error of an upstream that speaks `from` to its meaning in `to`. `target` is what was
// requested: the URI of a resource.
void shape_error(Reply& reply, std::string_view method, Revision from, Revision to,
                 std::string_view target);

// The parameters of a notification in the form of `to`.
std::string notice_for(Revision to, std::string_view method, std::string_view params);

}  // namespace patchbay::mcp
