// A CatalogView is a worker's view of the catalog: the newest one, as each caller may see it, and
// whether every upstream has had its first chance to start. Before that, requests for lists wait a
// little. Changes are announced after a short delay, so that several are announced as one.
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

  // The table in which workers share restricted catalogs. Set once, before anything else. REQUIRES:
  // it outlives the view.
  void share(RestrictedCatalogs& restricted) { restricted_ = &restricted; }

  // The catalog as that caller may see it.
  std::shared_ptr<const Catalog> current(const Principal& caller) const;

  // The whole catalog, which only the gateway itself sees.
  std::shared_ptr<const Catalog> whole() const { return now_.catalog; }
  bool synced() const { return synced_; }

  // The catalog once it is complete, or the current one at `deadline`.
  Task<std::shared_ptr<const Catalog>> wait_synced(const Principal& caller, Deadline deadline);

  void update(std::shared_ptr<const Catalog> catalog, bool synced);

  // The rules that decide who sees what; null: everybody sees everything.
  void set_rules(std::shared_ptr<const policy::Rules> rules);
  const policy::Rules* rules() const { return now_.rules.get(); }
  std::shared_ptr<const policy::Rules> shared_rules() const { return now_.rules; }

  // Whether the caller has the role `admin`. Without authentication everybody has it.
  bool is_admin(const Principal& caller) const;

  // A resource has changed; `uri` is the upstream's own.
  ResourceUpdate update_of(const std::string& upstream, const std::string& uri) const {
    return {upstream, uri, now_, *restricted_};
  }

  // How long changes are collected before clients are notified.
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
  std::optional<CatalogSnapshot>
      notified_;  // The state that clients know, while a notification is pending.
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
