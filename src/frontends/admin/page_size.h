// The parameters `limit` and `after` of lists in pages. Pure.
#pragma once

#include <cstdint>

#include "core/result.h"
#include "frontends/admin/call_filter.h"

namespace patchbay::frontends {

inline constexpr std::uint64_t kDefaultLimit = 50;
inline constexpr std::uint64_t kMostLimit = 500;
inline constexpr std::size_t kMostLooked = 5'000;  // Entries that one page looks at.

struct PageSize {
  std::uint64_t limit = kDefaultLimit;
  std::uint64_t after = 0;  // A cursor that is a number.
};

// Takes `limit` out of the query; Code::invalid_params if it is no number from 1 to kMostLimit.
Result<std::uint64_t> take_limit(QueryParameters& query);

// Takes `limit` and `after`.
Result<PageSize> take_page(QueryParameters& query);

// Takes a parameter that is a number; Code::invalid_params if it is none. Absent: `otherwise`.
Result<std::uint64_t> take_number(QueryParameters& query, std::string_view name,
                                  std::uint64_t otherwise);

}  // namespace patchbay::frontends
