#include "gateway/catalog/view.h"

#include <algorithm>

namespace patchbay::gateway {
namespace {

// A reference count of the worker's own, so that calls on different workers do not share its cache
// line.
std::shared_ptr<const Catalog> counted_here(std::shared_ptr<const Catalog> catalog) {
  const Catalog* const raw = catalog.get();
  return {raw, [keep = std::move(catalog)](const Catalog*) {}};
}

}  // namespace

CatalogView::CatalogView()
    : now_{std::make_shared<const Catalog>(std::vector<Offer>(), NameSettings())} {}

bool CatalogView::is_admin(const Principal& caller) const {
  if (caller.auth_method == AuthMethod::none) return true;
  if (now_.rules) return now_.rules->has_role(caller, policy::kAdminRole);
  return std::ranges::find(caller.roles, policy::kAdminRole) != caller.roles.end();
}

std::shared_ptr<const Catalog> CatalogView::current(const Principal& caller) const {
  if (!now_.rules) return now_.catalog;
  const auto about = now_.rules->about(caller);
  if (const auto seen = seen_.find(about); seen != seen_.end()) return seen->second;
  if (seen_.size() >= kMostSeen) seen_.clear();
  return seen_.emplace(about, counted_here(restricted_->of(now_, about))).first->second;
}

Task<std::shared_ptr<const Catalog>> CatalogView::wait_synced(const Principal& caller,
                                                              Deadline deadline) {
  if (!synced_) {
    OneShot<void> synced;
    waiting_.push_back(&synced);
    auto waited = co_await synced.wait(deadline);
    std::erase(waiting_, &synced);
    if (!waited && waited.error().code == Code::cancelled) co_return waited.error();
  }
  co_return current(caller);
}

void CatalogView::update(std::shared_ptr<const Catalog> catalog, bool synced) {
  before_change();
  now_.catalog = counted_here(std::move(catalog));
  // Clients that connect once the list is complete need no notification of how it was built.
  const bool completed = synced && !synced_;
  synced_ = synced;
  if (synced_) {
    for (auto* const one : waiting_) one->deliver(ok());
  }
  after_change(completed);
}

void CatalogView::set_rules(std::shared_ptr<const policy::Rules> rules) {
  const bool same = now_.rules && rules && now_.rules->version() == rules->version();
  if (same || now_.rules == rules) return;
  if (!synced_) {
    // No client has been notified of anything yet.
    now_.rules = std::move(rules);
    seen_.clear();
    return;
  }
  before_change();
  now_.rules = std::move(rules);
  after_change(false);
}

void CatalogView::before_change() {
  if (notified_) {
    seen_.clear();
    return;
  }
  notified_ = now_;
  notified_seen_ = std::exchange(seen_, {});
}

void CatalogView::after_change(bool at_once) {
  if (at_once || debounce_ <= std::chrono::nanoseconds(0)) {
    notify();
  } else if (!set()) {
    here().timers().set(*this, here().now() + debounce_);
  }
}

// Notifies clients of differences to what they know. A change that was reverted meanwhile is not
// reported.
void CatalogView::notify() {
  drop();
  CatalogSnapshot before = *std::exchange(notified_, std::nullopt);
  CatalogChanges update(std::move(before), now_, *restricted_);
  if (notify_) notify_(update);
  notified_seen_.clear();
}

}  // namespace patchbay::gateway
