// Percent-encoding of URLs (RFC 3986), read once and strictly. Pure; usable from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::net {

// Decodes one segment of a path. Code::invalid_request for a malformed escape, for invalid UTF-8
// and for control characters, which no name or URI has.
Result<std::string> percent_decode(std::string_view text);

// Encodes everything except ASCII letters, digits and `-._~`, so that the result is literal
// anywhere in a URL.
std::string percent_encode(std::string_view text);

// The parameters of a query; a plus sign is a space. A repeated parameter is refused: it would be
// ambiguous.
Result<std::map<std::string, std::string>> parse_query(std::string_view query);

}  // namespace patchbay::net
