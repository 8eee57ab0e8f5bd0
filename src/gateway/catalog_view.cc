#include "gateway/catalog_view.h"

#include <algorithm>

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
  const bool changed = catalog->tools_json() != catalog_->tools_json();
  // A reference count of the worker's own: calls on different workers do not share its cache line.
  const Catalog* const raw = catalog.get();
  catalog_ = std::shared_ptr<const Catalog>(raw, [keep = std::move(catalog)](const Catalog*) {});
  settled_ = settled;
  if (settled_) {
    for (auto* const one : waiting_) one->deliver(ok());
  }
  if (changed && tell_) tell_();
}

}  // namespace patchbay::gateway
