#include "gateway/catalog/changes.h"

#include <algorithm>

namespace patchbay::gateway {

const std::vector<std::string_view>& CatalogChanges::of(const Principal& caller) {
  auto before = restricted_.of(before_, caller);
  auto now = restricted_.of(now_, caller);
  const auto [known, fresh] = known_.try_emplace({before.get(), now.get()});
  auto& [stored_before, stored_now, found] = known->second;
  if (!fresh) return found;
  for (std::size_t i = 0; i < mcp::kItems.size(); ++i) {
    const auto kind = static_cast<mcp::ItemKind>(i);
    const auto notification = mcp::info(kind).changed;
    if (now->differs(*before, kind) && std::ranges::find(found, notification) == found.end()) {
      found.push_back(notification);
    }
  }
  std::ranges::sort(found);
  stored_before = std::move(before);
  stored_now = std::move(now);
  return found;
}

const std::string& ResourceUpdate::of(const Principal& caller) {
  auto catalog = restricted_.of(now_, caller);
  const auto [known, fresh] = known_.try_emplace(catalog);
  if (fresh) {
    std::string listed = catalog->listed_uri(upstream_, uri_);
    if (!now_.rules || catalog->find_resource(listed)) known->second = std::move(listed);
  }
  return known->second;
}

}  // namespace patchbay::gateway
