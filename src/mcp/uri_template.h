// Whether a URI can have come from a URI template (RFC 6570). Pure.
#pragma once

#include <string_view>

namespace patchbay::mcp {

// True if the literal parts of the template stand in the URI in order, with something in the place
// of each expression; in that of a query (`{?…}`, `{&…}`) there may be nothing. Takes time
// linear in both.
bool matches_template(std::string_view uri_template, std::string_view uri);

}  // namespace patchbay::mcp
