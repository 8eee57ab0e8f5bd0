// How much one upstream may list: tools, prompts, resources and resource templates together. A list
// beyond these limits is refused as a whole, since a part of it would be misleading.
//
// Values only; usable from any thread.
#pragma once

#include <cstddef>

#include "config/settings.h"
#include "core/result.h"
#include "mcp/items.h"

namespace patchbay::gateway {

struct ListLimits {
  int max_items = 10'000;
  config::Bytes max_definition_size{1 << 20};
  config::Bytes max_total_size{16 << 20};
  int max_pages = 1'000;
};

// Counts the items that an upstream lists, so that a list is refused before it takes much memory.
class ListBudget {
 public:
  explicit ListBudget(const ListLimits& limits) : limits_(limits) {}

  // Counts one more item. Code::too_large if that exceeds a limit; the message names the setting.
  Result<void> add(std::size_t definition_size);
  // Counts one more page of the list of these items, the `page`th.
  Result<void> check_page(mcp::ItemKind kind, int page) const;

 private:
  const ListLimits limits_;
  int items_ = 0;
  std::size_t bytes_ = 0;
};

// Whether an upstream may list all of these items.
Result<void> check_lists(const mcp::ItemLists& lists, const ListLimits& limits);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ListLimits>();

}  // namespace patchbay
