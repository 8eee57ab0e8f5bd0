#include "net/http_conditions.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace patchbay::net {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool has_already(const HttpFields& fields, std::string_view etag) {
  const auto wanted = fields.find("If-None-Match");
  if (!wanted) return false;
  if (*wanted == "*") return true;
  // Entity tags of ours hold no comma, and a weak one is as good here.
  for (std::string_view rest = *wanted; !rest.empty();) {
    auto tag = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(tag.size() + 1, rest.size()));
    tag = trim(tag);
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

ByteRange wanted_range(const HttpFields& fields, std::string_view etag, std::uint64_t size) {
  constexpr std::string_view kBytes = "bytes=";
  const auto given = fields.find("Range");
  if (!given || !given->starts_with(kBytes)) return {};
  const auto unchanged = fields.find("If-Range");
  if (unchanged && *unchanged != etag) return {};
  const auto range = given->substr(kBytes.size());
  const auto dash = range.find('-');
  if (dash == std::string_view::npos || range.find(',') != std::string_view::npos) return {};
  const auto first = number(range.substr(0, dash));
  const auto last = number(range.substr(dash + 1));
  const bool from_end = dash == 0;
  const bool to_end = dash + 1 == range.size();
  if ((!first && !from_end) || (!last && !to_end) || (from_end && to_end)) return {};
  using Kind = ByteRange::Kind;
  if (from_end) {
    if (*last == 0 || size == 0) return {Kind::none};
    return {Kind::part, size - std::min(*last, size), size - 1};
  }
  if (!to_end && *last < *first) return {};
  if (*first >= size) return {Kind::none};
  return {Kind::part, *first, to_end ? size - 1 : std::min(*last, size - 1)};
}

}  // namespace patchbay::net
