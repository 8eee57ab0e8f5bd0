// The grammar of goals: steps separated by `then`, a name with a colon before a step, and
// {previous}.
//
// Pure; slices point into the goal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::frontends {

inline constexpr std::string_view kPrevious = "{previous}";

struct NamedStep {
  std::string_view name;  // Without spaces.
  std::string_view text;  // The text after the colon, without surrounding white space.
};

// `calculate: 12 / 4` is named. A step without spaces is named too: it names a tool without
// arguments.
std::optional<NamedStep> named_step(std::string_view step);

// The steps of a goal. `then` is ordinary text unless the text after it is certainly a step: a name
// for which `knows` is true before a colon, only the full name of a tool, or text with {previous}.
std::vector<std::string_view> split_goal(std::string_view goal,
                                         const std::function<bool(std::string_view name)>& knows);

// The replacements for {previous} in a text.
enum class FillIn {
  plain,  // The output of the previous step.
  json,   // The same, escaped for a JSON string.
};

// The text with {previous} replaced; Code::too_large beyond `most` bytes.
Result<std::string> fill_in(std::string_view text, std::string_view previous, FillIn how,
                            std::size_t most);

}  // namespace patchbay::frontends
