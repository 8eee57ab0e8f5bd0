// Small parsers of text as the kernel and /etc write it: lines, fields, numbers. Values only;
// usable from any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"

namespace patchbay::osquery {

inline constexpr std::string_view kBlank = " \t";

// The whole of `text` as a number; empty if it is something else.
template <std::integral T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline std::int64_t number_or(std::string_view text, std::int64_t otherwise) {
  return number<std::int64_t>(text).value_or(otherwise);
}

// Takes the next field off the front of `text`; empty at the end.
inline std::string_view take_field(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  const auto field = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(field.size());
  return field;
}

// Takes the part before the next `separator`, and the separator, off the front of `text`.
inline std::string_view take_until(std::string_view& text, char separator) {
  const auto part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Calls `visit(line)` for each line, without its end.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) visit(take_until(text, '\n'));
}

}  // namespace patchbay::osquery
