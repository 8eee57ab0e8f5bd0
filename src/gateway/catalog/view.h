// A CatalogView is a worker's own look at the catalog: the newest one, as each caller may see it,
// and whether every upstream has had its first chance to come up. Before that, requests for
// lists wait a little. Changes are announced a moment after the catalog has them, so that many are
// announced as one.
//
// Confined to its worker; the control thread updates it with posted messages.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "async/one_shot.h"
#include "gateway/catalog/changes.h"
#include "gateway/catalog/restricted_catalogs.h"

namespace patchbay::gateway {

class CatalogView final : Timer {
 public:
  CatalogView();

  // Finds there what several workers need. Said once, before anything else. REQUIRES: it outlives
  // the view.
  void share(RestrictedCatalogs& restricted) { restricted_ = &restricted; }

  // As that caller may see it.
  std::shared_ptr<const Catalog> current(const Principal& caller) const;

  // As nobody but the gateway itself sees it: whole.
  std::shared_ptr<const Catalog> whole() const { return now_.catalog; }
  bool synced() const { return synced_; }

  // The catalog once it is complete, or what there is at `deadline`.
  Task<std::shared_ptr<const Catalog>> wait_synced(const Principal& caller, Deadline deadline);

  void update(std::shared_ptr<const Catalog> catalog, bool synced);

  // Who may see what; null: everybody everything.
  void set_rules(std::shared_ptr<const policy::Rules> rules);
  const policy::Rules* rules() const { return now_.rules.get(); }

  // Whether the caller has the role `admin`, as everybody has where nobody is asked who they are.
  bool is_admin(const Principal& caller) const;

  // A resource that has changed, by the upstream's own URI.
  ResourceUpdate update_of(const std::string& upstream, const std::string& uri) const {
    return {upstream, uri, now_, *restricted_};
  }

  // How long changes are gathered before clients are notified.
  void set_debounce(std::chrono::nanoseconds debounce) { debounce_ = debounce; }

  // Called after changes.
  void on_change(std::function<void(CatalogChanges& update)> notify) {
    notify_ = std::move(notify);
  }

 private:
  void on_deadline() override { notify(); }
  void before_change();
  void after_change(bool at_once);
  void notify();

  static constexpr std::size_t kMostSeen = 256;

  CatalogSnapshot now_;
  std::optional<CatalogSnapshot> notified_;  // As clients know it, while a notification is due.
  RestrictedCatalogs own_;
  RestrictedCatalogs* restricted_ = &own_;
  // What callers see now, and what they saw at the last notification.
  using Seen = std::unordered_map<policy::Rules::Set, std::shared_ptr<const Catalog>>;
  mutable Seen seen_;
  Seen notified_seen_;
  std::chrono::nanoseconds debounce_{0};
  bool synced_ = false;
  std::vector<OneShot<void>*> waiting_;
  std::function<void(CatalogChanges&)> notify_;
};

}  // namespace patchbay::gateway
