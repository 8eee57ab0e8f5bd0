// Arithmetic inside a sentence: "what is (12 + 4) / 2?" asks for "(12 + 4) / 2". Dates, paths and
// hyphens are not arithmetic. Pure functions; usable from any thread.
#pragma once

#include <string_view>

namespace patchbay {

// The longest piece of `text` that is an expression: an operator between two numbers, optionally in
// parentheses. Empty if there is none.
std::string_view find_arithmetic(std::string_view text);

}  // namespace patchbay
