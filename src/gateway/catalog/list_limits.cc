#include "gateway/catalog/list_limits.h"

#include <fmt/format.h>

namespace patchbay::gateway {

Result<void> ListBudget::add(std::size_t definition_size) {
  if (definition_size > limits_.max_definition_size.value) {
    return Error{Code::too_large, fmt::format("a definition has {} bytes, more than "
                                              "lists.max_definition_size, which is {}",
                                              definition_size, limits_.max_definition_size.value)};
  }
  if (++items_ > limits_.max_items) {
    return Error{Code::too_large, fmt::format("more items are listed than lists.max_items, which "
                                              "is {}",
                                              limits_.max_items)};
  }
  bytes_ += definition_size;
  if (bytes_ > limits_.max_total_size.value) {
    return Error{Code::too_large, fmt::format("the definitions have more bytes than "
                                              "lists.max_total_size, which is {}",
                                              limits_.max_total_size.value)};
  }
  return ok();
}

Result<void> ListBudget::check_page(mcp::ItemKind kind, int page) const {
  if (page <= limits_.max_pages) return ok();
  return Error{Code::too_large,
               fmt::format("the list of {}s has more pages than lists.max_pages, which is {}",
                           mcp::info(kind).noun, limits_.max_pages)};
}

Result<void> check_lists(const mcp::ItemLists& lists, const ListLimits& limits) {
  ListBudget budget(limits);
  for (const auto& items : lists) {
    for (const auto& item : items) {
      auto fits = budget.add(item.definition.size());
      if (!fits) return fits;
    }
  }
  return ok();
}

}  // namespace patchbay::gateway
