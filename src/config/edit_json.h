// Sets or removes a member of a JSON file and leaves every other byte as it is. Comments and
// trailing commas, which editors allow in their settings, stay. Values only; usable from any
// thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/node.h"
#include "core/result.h"

namespace patchbay::config {

// Replaces the value at `path`, or adds it, and the objects above it, each as the last member. An
// empty text becomes a new document. REQUIRES: `path` is not empty.
Result<std::string> set_json_member(std::string_view text, std::span<const std::string_view> path,
                                    const Node& value);

// Code::not_found if there is no such member.
Result<std::string> remove_json_member(std::string_view text,
                                       std::span<const std::string_view> path);

}  // namespace patchbay::config
