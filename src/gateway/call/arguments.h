// How compiled-in tools read their arguments: each reader returns the value, or an Error that names
// the expected value.
//
// Values only; usable from any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay {

// Refuses members of `arguments` that are not in `known`, so that a misspelt name is not ignored.
Result<void> check_argument_names(std::string_view arguments,
                                  std::initializer_list<std::string_view> known);

// The string `name`, at most `limit` bytes long. An absent or null one is an Error.
Result<std::string> text_argument(std::string_view arguments, std::string_view name,
                                  std::size_t limit);

// The same, but an absent or null one is not an error.
Result<std::optional<std::string>> optional_text_argument(std::string_view arguments,
                                                          std::string_view name, std::size_t limit);

// The same for a tool with no other argument: any other name is refused.
Result<std::string> sole_text_argument(std::string_view arguments, std::string_view name,
                                       std::size_t limit);
Result<std::optional<std::string>> sole_optional_text_argument(std::string_view arguments,
                                                               std::string_view name,
                                                               std::size_t limit);

// The whole number `name` from `lowest` to `highest`; `fallback` if it is absent or null.
Result<int> whole_argument(std::string_view arguments, std::string_view name, int lowest,
                           int highest, int fallback);

// The first bytes of `text`, cut between characters: for quoting the caller's text in an Error.
std::string_view clip(std::string_view text);

}  // namespace patchbay
