#include "frontends/admin/page_size.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace patchbay::frontends {

Result<std::uint64_t> take_number(QueryParameters& query, std::string_view name,
                                  std::uint64_t otherwise) {
  const auto given = query.extract(std::string(name));
  if (!given) return otherwise;
  const std::string& text = given.mapped();
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (fault != std::errc() || end != text.data() + text.size() || number > kMost) {
    return Error{Code::invalid_params, fmt::format("{}: this is no such number", name)};
  }
  return number;
}

Result<std::uint64_t> take_limit(QueryParameters& query) {
  auto limit = take_number(query, "limit", kDefaultLimit);
  if (limit && *limit >= 1 && *limit <= kMostLimit) return limit;
  return Error{Code::invalid_params, fmt::format("limit: a number from 1 to {}", kMostLimit)};
}

Result<PageSize> take_page(QueryParameters& query) {
  auto limit = take_limit(query);
  if (!limit) return limit.error();
  auto after = take_number(query, "after", 0);
  if (!after) return after.error();
  return PageSize{*limit, *after};
}

}  // namespace patchbay::frontends
