// Names that models and schemas take, made of whatever a document calls things. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace patchbay::upstreams {

// `text` with every run of what is neither a letter, a digit nor `-` as one underscore, none of
// them at the ends, and at most `most` bytes; `otherwise` if nothing is left.
std::string fit_name(std::string_view text, std::size_t most, std::string_view otherwise);

// `wanted`, or with the first number behind it that makes it a name which is not taken; it is then.
std::string unique_name(const std::string& wanted, std::set<std::string>& taken);

// `type/subtype` of a media type, in lower case, without its parameters; empty if it is none.
std::string media_essence(std::string_view text);

bool is_json_media(std::string_view essence);
bool is_text_media(std::string_view essence);

}  // namespace patchbay::upstreams
