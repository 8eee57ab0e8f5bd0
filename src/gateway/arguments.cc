#include "gateway/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "json/read.h"

namespace patchbay {
namespace {

constexpr std::size_t kMaxQuotedBytes = 64;  // Of the caller's own words, in an Error.

// The raw member, unless it is absent or null: clients that fill in every name send null for
// "not given".
std::optional<std::string_view> given(std::string_view arguments, std::string_view name) {
  auto raw = json::member(arguments, name);
  if (raw && json::type_of(*raw) == json::Type::null) raw.reset();
  return raw;
}

}  // namespace

std::string_view clip(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return text;
  std::size_t end = kMaxQuotedBytes;
  const auto continues = [&](std::size_t at) { return (text[at] & 0xC0) == 0x80; };
  while (end > 0 && continues(end)) --end;
  return text.substr(0, end);
}

Result<void> check_argument_names(std::string_view arguments,
                                  std::initializer_list<std::string_view> known) {
  std::optional<std::string> stranger;
  json::each_member(arguments, [&](std::string_view name, std::string_view) {
    if (!stranger && std::ranges::find(known, name) == known.end()) stranger = clip(name);
  });
  if (!stranger) return ok();
  return Error{Code::invalid_params,
               fmt::format("unknown argument '{}'; known: {}", *stranger, fmt::join(known, ", "))};
}

Result<std::optional<std::string>> optional_text_argument(std::string_view arguments,
                                                          std::string_view name,
                                                          std::size_t limit) {
  const auto raw = given(arguments, name);
  if (!raw) return std::optional<std::string>();
  auto text = json::as_string(*raw);
  if (!text) {
    return Error{Code::invalid_params, fmt::format("'{}' must be a string of Unicode text", name)};
  }
  if (text->size() > limit) {
    return Error{Code::invalid_params, fmt::format("'{}' is {} bytes long; at most {} are accepted",
                                                   name, text->size(), limit)};
  }
  return text;
}

Result<std::string> text_argument(std::string_view arguments, std::string_view name,
                                  std::size_t limit) {
  auto text = optional_text_argument(arguments, name, limit);
  if (!text) return std::move(text).error();
  if (!*text) {
    return Error{Code::invalid_params, fmt::format("'{}' is missing; give it as a string", name)};
  }
  return **std::move(text);
}

Result<int> whole_argument(std::string_view arguments, std::string_view name, int lowest,
                           int highest, int fallback) {
  const auto raw = given(arguments, name);
  if (!raw) return fallback;
  // Read as a double, because to JSON Schema 3.0 is an integer too.
  const auto value = json::as_double(*raw);
  if (!value || *value < lowest || *value > highest || std::trunc(*value) != *value) {
    return Error{Code::invalid_params,
                 fmt::format("'{}' must be a whole number from {} to {}", name, lowest, highest)};
  }
  return static_cast<int>(*value);
}

}  // namespace patchbay
