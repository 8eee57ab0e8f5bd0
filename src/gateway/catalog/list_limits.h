// How much one upstream may list: tools, prompts, resources and resource templates together. A list
// beyond these limits is refused as a whole, since a part of it would be misleading.
//
// Values only; usable from any thread.
#pragma once

#include <cstddef>

#include "config/fields.h"
#include "core/result.h"
#include "mcp/items.h"

namespace patchbay::gateway {

struct ListLimits {
  int max_items = 10'000;
  config::Bytes max_definition_size{1 << 20};
  config::Bytes max_total_size{16 << 20};
  int max_pages = 1'000;
};

// Counts what an upstream lists, so that a list is refused before it takes much memory.
class ListBudget {
 public:
  explicit ListBudget(const ListLimits& limits) : limits_(limits) {}

  // One more item. Code::too_large if that is too much; the message names the setting.
  Result<void> add(std::size_t definition_size);
  // One more page of the list of these items, which is the `page`th.
  Result<void> check_page(mcp::ItemKind kind, int page) const;

 private:
  const ListLimits limits_;
  int items_ = 0;
  std::size_t bytes_ = 0;
};

// Whether an upstream may list all of that.
Result<void> check_lists(const mcp::ItemLists& lists, const ListLimits& limits);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
inline constexpr auto config::fields<gateway::ListLimits> = std::tuple{
    Field{"max_items", &gateway::ListLimits::max_items,
          "Maximum number of tools, prompts, resources and templates together.",
          Range{1, 1'000'000}},
    Field{"max_definition_size", &gateway::ListLimits::max_definition_size,
          "Maximum size of one definition.", Range{Bytes{1024}, Bytes{std::uint64_t{1} << 30}}},
    Field{"max_total_size", &gateway::ListLimits::max_total_size,
          "Maximum size of all definitions together.",
          Range{Bytes{1024}, Bytes{std::uint64_t{1} << 32}}},
    Field{"max_pages", &gateway::ListLimits::max_pages, "Maximum number of pages per list.",
          Range{1, 100'000}},
};

}  // namespace patchbay
