#include "gateway/catalog_view.h"

#include <algorithm>
#include <set>

namespace patchbay::gateway {

CatalogView::CatalogView()
    : catalog_(std::make_shared<const Catalog>(std::vector<Offer>(), NameSettings())) {}

Task<std::shared_ptr<const Catalog>> CatalogView::wait_settled(Deadline deadline) {
  if (!settled_) {
    OneShot<void> settled;
    waiting_.push_back(&settled);
    auto waited = co_await settled.wait(deadline);
    std::erase(waiting_, &settled);
    if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
  }
  co_return catalog_;
}

void CatalogView::update(std::shared_ptr<const Catalog> catalog, bool settled) {
  std::set<std::string_view> changed;
  for (std::size_t i = 0; i < mcp::kItems.size(); ++i) {
    const auto kind = static_cast<mcp::ItemKind>(i);
    if (catalog->differs(*catalog_, kind)) changed.insert(mcp::info(kind).changed);
  }
  // A reference count of the worker's own: calls on different workers do not share its cache line.
  const Catalog* const raw = catalog.get();
  catalog_ = std::shared_ptr<const Catalog>(raw, [keep = std::move(catalog)](const Catalog*) {});
  settled_ = settled;
  if (settled_) {
    for (auto* const one : waiting_) one->deliver(ok());
  }
  if (!tell_) return;
  for (const auto notification : changed) tell_(notification);
}

}  // namespace patchbay::gateway
