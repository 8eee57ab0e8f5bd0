// Whether a URI matches a URI template (RFC 6570). Pure.
#pragma once

#include <string_view>

namespace patchbay::mcp {

// True if the literal parts of the template occur in the URI in order, with some text for each
// expression; a query (`{?…}`, `{&…}`) may be empty. Takes time linear in both.
bool matches_template(std::string_view uri_template, std::string_view uri);

}  // namespace patchbay::mcp
