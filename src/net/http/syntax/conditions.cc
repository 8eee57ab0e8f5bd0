#include "net/http/syntax/conditions.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/http_token.h"

namespace patchbay::net {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Cuts the part before the next comma off the front.
std::string_view take_item(std::string_view& list) {
  const auto item = list.substr(0, list.find(','));
  list.remove_prefix(std::min(item.size() + 1, list.size()));
  return trim(item);
}

// True if the list of entity tags is `*` or has this one. Tags of ours hold no comma.
bool names(std::string_view list, std::string_view etag, bool weak_too) {
  if (list == "*") return true;
  while (!list.empty()) {
    auto tag = take_item(list);
    if (weak_too && tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

// One range as written, before the size is known.
struct Asked {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
};

std::optional<Asked> read_range(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const Asked asked{number(text.substr(0, dash)), number(text.substr(dash + 1))};
  const bool from_end = dash == 0;
  const bool to_end = dash + 1 == text.size();
  if ((!asked.first && !from_end) || (!asked.last && !to_end)) return std::nullopt;
  if (from_end && to_end) return std::nullopt;
  if (asked.first && asked.last && *asked.last < *asked.first) return std::nullopt;
  return asked;
}

// Empty if it is past the end.
std::optional<ByteSpan> within(const Asked& asked, std::uint64_t size) {
  if (!asked.first) {
    if (*asked.last == 0 || size == 0) return std::nullopt;
    return ByteSpan{size - std::min(*asked.last, size), size - 1};
  }
  if (*asked.first >= size) return std::nullopt;
  return ByteSpan{*asked.first, std::min(asked.last.value_or(size), size - 1)};
}

}  // namespace

bool has_already(const HttpFields& fields, std::string_view etag) {
  const auto given = fields.find("If-None-Match");
  return given && names(*given, etag, true);
}

bool wants_another(const HttpFields& fields, std::string_view etag) {
  const auto given = fields.find("If-Match");
  return given && !names(*given, etag, false);
}

RequestedRanges requested_ranges(const HttpFields& fields, std::string_view etag,
                                 std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  constexpr std::size_t kMostRanges = 16;
  const auto given = fields.find("Range");
  if (!given || !same_token(given->substr(0, kUnit.size()), kUnit)) return {};
  const auto unchanged = fields.find("If-Range");
  if (unchanged && *unchanged != etag) return {};
  RequestedRanges wanted{RequestedRanges::Kind::none};
  std::uint64_t total = 0;
  std::size_t count = 0;
  for (auto rest = given->substr(kUnit.size()); !rest.empty();) {
    const auto item = take_item(rest);
    if (item.empty()) continue;
    const auto asked = read_range(item);
    if (!asked || ++count > kMostRanges) return {};
    const auto span = within(*asked, size);
    if (!span) continue;
    wanted.kind = RequestedRanges::Kind::parts;
    wanted.parts.push_back(*span);
    total += span->size();
  }
  if (count == 0 || total > size) return {};
  return wanted;
}

}  // namespace patchbay::net
