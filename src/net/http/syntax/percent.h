// Percent-encoding of URLs (RFC 3986), read once and strictly. Pure; usable from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::net {

// The text of one part of a path. Code::invalid_request for a broken code, for what is not UTF-8
// and for control characters, which no name or URI has.
Result<std::string> percent_decode(std::string_view text);

// Everything but letters, digits and `-._~` encoded, so that it stands for itself anywhere in a
// URL.
std::string percent_encode(std::string_view text);

// The parameters of a query; a plus sign is a space. One that is given twice is refused: which of
// the two counts would be anybody's guess.
Result<std::map<std::string, std::string>> parse_query(std::string_view query);

}  // namespace patchbay::net
