// A CatalogView is a worker's own look at the catalog: the newest one, and whether every upstream
// has had its first chance to come up. Before that, whoever asks for the list waits a little.
//
// Confined to its worker; the control thread updates it by letter.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/wait.h"
#include "gateway/catalog.h"

namespace patchbay::gateway {

class CatalogView {
 public:
  CatalogView();

  std::shared_ptr<const Catalog> current() const { return catalog_; }
  bool settled() const { return settled_; }

  // The catalog once it has settled, or what there is at `deadline`.
  Task<std::shared_ptr<const Catalog>> wait_settled(Deadline deadline);

  void update(std::shared_ptr<const Catalog> catalog, bool settled);

  // Called after a change that clients can see, once for each notification that tells of it.
  void on_change(std::function<void(std::string_view notification)> tell) {
    tell_ = std::move(tell);
  }

 private:
  std::shared_ptr<const Catalog> catalog_;
  bool settled_ = false;
  std::vector<OneShot<void>*> waiting_;
  std::function<void(std::string_view)> tell_;
};

}  // namespace patchbay::gateway
