// The arguments of a tool as people type them, and its result as people read it. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::mcp {

// Converts the typed value of an argument to raw JSON.
using ReadValue = std::function<std::string(const std::string& key, const std::string& value)>;

// The raw object of `args` of the form key=value.
Result<std::string> object_of_pairs(const std::vector<std::string>& args, const ReadValue& read);

// A value in the form that the tool with this raw definition requires: by its schema, else JSON if
// it is valid JSON, else text.
std::string typed_value(std::string_view definition, std::string_view key, std::string_view value);

// The raw arguments of `args` of the form key=value for that tool.
Result<std::string> typed_arguments(std::string_view definition,
                                    const std::vector<std::string>& args);

// The single string argument of a tool: the only one it requires, or the only one it has. Empty if
// there is none.
std::optional<std::string> only_text_argument(std::string_view definition);

// The text of a raw piece of content; of other content, its type and size.
std::string text_of_content(std::string_view content);

struct ToolText {
  bool failed = false;  // The tool reported an error.
  std::string text;     // The pieces of content, separated by line breaks.
};

// The text of the raw result of a tools/call.
ToolText text_of_result(std::string_view result);

}  // namespace patchbay::mcp
