// Small queries on raw JSON that a Cursor has already validated: one member, one string, one
// number. For code that is not on a hot path. Values only; slices point into the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/cursor.h"
#include "json/text.h"

namespace patchbay::json {

Type type_of(std::string_view raw);

// The raw value of member `key` of the object `raw`; empty if `raw` is not an object or has no such
// member.
std::optional<std::string_view> member(std::string_view raw, std::string_view key);

// The string, number or boolean that `raw` is; empty if it has another type.
std::optional<std::string> as_string(std::string_view raw);
// The same string without a copy, if it has no escapes; else decoded into `decoded`.
std::optional<std::string_view> as_text(std::string_view raw, std::string& decoded);
std::optional<std::int64_t> as_int(std::string_view raw);
std::optional<double> as_double(std::string_view raw);
std::optional<bool> as_bool(std::string_view raw);

// Member `key` as a string.
std::optional<std::string> string_member(std::string_view raw, std::string_view key);

// Calls `visit(key, raw)` for each member in order; does nothing if `raw` is not an object.
template <class Visit>
void each_member(std::string_view raw, Visit visit) {
  Cursor at(raw);
  if (!at.enter_object()) return;
  std::string_view key;
  std::string_view value;
  while (at.next_member(key)) {
    if (at.value(value)) visit(key, value);
  }
}

// Calls `visit(raw)` for each element in order; does nothing if `raw` is not an array.
template <class Visit>
void each_element(std::string_view raw, Visit visit) {
  Cursor at(raw);
  if (!at.enter_array()) return;
  std::string_view value;
  while (at.next_element()) {
    if (at.value(value)) visit(value);
  }
}

// The object `raw` with member `key` in front, set to the raw `value`; the other members unchanged.
std::string with_member(std::string_view raw, std::string_view key, std::string_view value);

// Yields an Error unless `text` is exactly one JSON value.
Result<void> check(std::string_view text);

}  // namespace patchbay::json
