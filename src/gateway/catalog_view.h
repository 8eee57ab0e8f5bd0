// A CatalogView is a worker's own look at the catalog: the newest one, and whether every upstream
// has had its first chance to come up. Before that, whoever asks for the list waits a little.
// Clients hear of changes a moment later than the catalog has them, so that many are told as one.
//
// Confined to its worker; the control thread updates it by letter.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/wait.h"
#include "gateway/catalog.h"

namespace patchbay::gateway {

class CatalogView final : Timer {
 public:
  CatalogView();

  // As that caller may see it.
  std::shared_ptr<const Catalog> current(const Principal&) const { return catalog_; }

  // As nobody but the gateway itself sees it: whole.
  std::shared_ptr<const Catalog> whole() const { return catalog_; }
  bool settled() const { return settled_; }

  // The catalog once it has settled, or what there is at `deadline`.
  Task<std::shared_ptr<const Catalog>> wait_settled(const Principal& who, Deadline deadline);

  void update(std::shared_ptr<const Catalog> catalog, bool settled);

  // How long changes are gathered before they are told.
  void set_debounce(std::chrono::nanoseconds debounce) { debounce_ = debounce; }

  // Called after changes that clients can see, once for each notification that tells of them.
  void on_change(std::function<void(std::string_view notification)> tell) {
    tell_ = std::move(tell);
  }

 private:
  void on_deadline() override { tell(); }
  void tell();

  std::shared_ptr<const Catalog> catalog_;
  std::shared_ptr<const Catalog> told_;  // As clients know it, while they are to be told.
  std::chrono::nanoseconds debounce_{0};
  bool settled_ = false;
  std::vector<OneShot<void>*> waiting_;
  std::function<void(std::string_view)> tell_;
};

}  // namespace patchbay::gateway
