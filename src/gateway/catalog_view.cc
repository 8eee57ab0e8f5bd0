#include "gateway/catalog_view.h"

#include <algorithm>
#include <set>

namespace patchbay::gateway {

CatalogView::CatalogView()
    : catalog_(std::make_shared<const Catalog>(std::vector<Offer>(), NameSettings())) {}

Task<std::shared_ptr<const Catalog>> CatalogView::wait_settled(const Principal& who,
                                                               Deadline deadline) {
  if (!settled_) {
    OneShot<void> settled;
    waiting_.push_back(&settled);
    auto waited = co_await settled.wait(deadline);
    std::erase(waiting_, &settled);
    if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
  }
  co_return current(who);
}

void CatalogView::update(std::shared_ptr<const Catalog> catalog, bool settled) {
  if (!told_) told_ = catalog_;
  // A reference count of the worker's own: calls on different workers do not share its cache line.
  const Catalog* const raw = catalog.get();
  catalog_ = std::shared_ptr<const Catalog>(raw, [keep = std::move(catalog)](const Catalog*) {});
  // Who comes once the list is complete need not hear how it became so.
  const bool completed = settled && !settled_;
  settled_ = settled;
  if (settled_) {
    for (auto* const one : waiting_) one->deliver(ok());
  }
  if (completed || debounce_ <= std::chrono::nanoseconds(0)) {
    tell();
  } else if (!set()) {
    here().timers().set(*this, here().now() + debounce_);
  }
}

// Tells of what is another than clients know. A change that was taken back meanwhile is none.
void CatalogView::tell() {
  drop();
  const auto before = std::exchange(told_, nullptr);
  std::set<std::string_view> changed;
  for (std::size_t i = 0; i < mcp::kItems.size(); ++i) {
    const auto kind = static_cast<mcp::ItemKind>(i);
    if (catalog_->differs(*before, kind)) changed.insert(mcp::info(kind).changed);
  }
  if (!tell_) return;
  for (const auto notification : changed) tell_(notification);
}

}  // namespace patchbay::gateway
