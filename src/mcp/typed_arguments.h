// The arguments of a tool as people type them, and its result as people read it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::mcp {

// Words as a shell would split them, with quotes and backslashes and nothing else.
Result<std::vector<std::string>> split_words(std::string_view text);

// The raw arguments that `words` of the form key=value mean for the tool with this raw definition.
// A value is what the schema says, else JSON if it is JSON, else text.
Result<std::string> typed_arguments(std::string_view definition,
                                    const std::vector<std::string>& words);

// The one string that the tool takes: the only one it requires, or the only one it knows. Empty if
// there is no such thing.
std::optional<std::string> only_text_argument(std::string_view definition);

struct ToolText {
  bool failed = false;  // The tool reported an error.
  std::string text;     // One piece of content after the other, with a line break between them.
};

// The text of the raw result of a tools/call; other content is named with its type and size.
ToolText text_of_result(std::string_view result);

}  // namespace patchbay::mcp
