// Adds a member to a section of a YAML file, or removes one, and leaves every other byte as it is:
// comments, order and style stay. Values only; usable from any thread.
//
// A section is a map at the top of the file, in block style. What cannot be edited so is an error
// that asks the person to edit the file by hand; a text is returned only if it reads back as meant.
#pragma once

#include <string>
#include <string_view>

#include "config/node.h"
#include "core/result.h"

namespace patchbay::config {

// The member becomes the last one. The section is added to the end of the text if it has none.
// REQUIRES: the section has no such member.
Result<std::string> add_yaml_member(std::string_view text, std::string_view section,
                                    std::string_view key, const Node& value);

// Code::not_found if there is no such member. A comment above it stays.
Result<std::string> remove_yaml_member(std::string_view text, std::string_view section,
                                       std::string_view key);

}  // namespace patchbay::config
