#include "gateway/catalog/list_limits.h"

#include "config/fields.h"

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

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ListLimits>() {
  static const Fields kFields = fields_of<gateway::ListLimits>({
      {"max_items", &gateway::ListLimits::max_items,
       "Maximum number of tools, prompts, resources and templates together.", Range{1, 1'000'000}},
      {"max_definition_size", &gateway::ListLimits::max_definition_size,
       "Maximum size of one definition.", Range{Bytes{1024}, Bytes{std::uint64_t{1} << 30}}},
      {"max_total_size", &gateway::ListLimits::max_total_size,
       "Maximum size of all definitions together.",
       Range{Bytes{1024}, Bytes{std::uint64_t{1} << 32}}},
      {"max_pages", &gateway::ListLimits::max_pages, "Maximum number of pages per list.",
       Range{1, 100'000}},
  });
  return kFields;
}

}  // namespace patchbay
