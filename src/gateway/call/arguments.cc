#include "gateway/call/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "json/read.h"

namespace patchbay {
namespace {

constexpr std::size_t kMaxQuotedBytes = 64;  // Bytes of the caller's text in an Error.

using Raw = std::optional<std::string_view>;

// Clients that fill in every name send null for "not given".
Raw unless_null(Raw raw) {
  if (raw && json::type_of(*raw) == json::Type::null) raw.reset();
  return raw;
}

Raw given(std::string_view arguments, std::string_view name) {
  return unless_null(json::member(arguments, name));
}

Error unknown_argument(std::string_view stranger, std::initializer_list<std::string_view> known) {
  return {Code::invalid_params,
          fmt::format("unknown argument '{}'; known: {}", clip(stranger), fmt::join(known, ", "))};
}

// The only allowed argument, read in one pass.
Result<Raw> sole(std::string_view arguments, std::string_view name) {
  Raw found;
  std::optional<Error> fault;
  json::each_member(arguments, [&](std::string_view key, std::string_view raw) {
    if (key == name) {
      found = raw;
    } else if (!fault) {
      fault = unknown_argument(key, {name});
    }
  });
  if (fault) return *std::move(fault);
  return unless_null(found);
}

Result<std::string> text_of(std::string_view raw, std::string_view name, std::size_t limit) {
  auto text = json::as_string(raw);
  if (!text) {
    return Error{Code::invalid_params, fmt::format("'{}' must be a string of Unicode text", name)};
  }
  if (text->size() > limit) {
    return Error{Code::invalid_params, fmt::format("'{}' is {} bytes long; at most {} are accepted",
                                                   name, text->size(), limit)};
  }
  return *std::move(text);
}

Result<std::string> needed_text(const Raw& raw, std::string_view name, std::size_t limit) {
  if (raw) return text_of(*raw, name, limit);
  return Error{Code::invalid_params, fmt::format("'{}' is missing; give it as a string", name)};
}

Result<std::optional<std::string>> optional_text(const Raw& raw, std::string_view name,
                                                 std::size_t limit) {
  if (!raw) return std::optional<std::string>();
  auto text = text_of(*raw, name, limit);
  if (!text) return std::move(text).error();
  return std::optional(*std::move(text));
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
  std::optional<Error> fault;
  json::each_member(arguments, [&](std::string_view name, std::string_view) {
    if (!fault && std::ranges::find(known, name) == known.end()) {
      fault = unknown_argument(name, known);
    }
  });
  return fault ? Result<void>(*std::move(fault)) : ok();
}

Result<std::optional<std::string>> optional_text_argument(std::string_view arguments,
                                                          std::string_view name,
                                                          std::size_t limit) {
  return optional_text(given(arguments, name), name, limit);
}

Result<std::string> text_argument(std::string_view arguments, std::string_view name,
                                  std::size_t limit) {
  return needed_text(given(arguments, name), name, limit);
}

Result<std::string> sole_text_argument(std::string_view arguments, std::string_view name,
                                       std::size_t limit) {
  auto raw = sole(arguments, name);
  if (!raw) return std::move(raw).error();
  return needed_text(*raw, name, limit);
}

Result<std::optional<std::string>> sole_optional_text_argument(std::string_view arguments,
                                                               std::string_view name,
                                                               std::size_t limit) {
  auto raw = sole(arguments, name);
  if (!raw) return std::move(raw).error();
  return optional_text(*raw, name, limit);
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
