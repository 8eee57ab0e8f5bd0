// Names that models and schemas accept, derived from the names in a document. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace patchbay::upstreams {

// `text` with every run of characters other than ASCII letters, digits and `-` replaced by one
// underscore, none at the ends, and at most `most` bytes; `otherwise` if nothing is left.
std::string fit_name(std::string_view text, std::size_t most, std::string_view otherwise);

// `wanted`, or with the first number appended that makes it unique; it is then taken.
std::string unique_name(const std::string& wanted, std::set<std::string>& taken);

// `type/subtype` of a media type, in lower case, without its parameters; empty if it is invalid.
std::string media_essence(std::string_view text);

bool is_json_media(std::string_view essence);
bool is_text_media(std::string_view essence);

}  // namespace patchbay::upstreams
