// The catalogs of callers with restricted access. Each is built when first needed, and is the same
// for all workers and for all callers with the same rules. It exists as long as a worker holds it;
// this table is where workers find those of others.
//
// Used on any worker; guarded by a mutex, since each worker caches the catalogs that it has found.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "gateway/catalog/catalog.h"
#include "policy/rules/rules.h"

namespace patchbay::gateway {

// A catalog and the rules for it; without rules everybody sees all of it.
struct CatalogSnapshot {
  std::shared_ptr<const Catalog> catalog;
  std::shared_ptr<const policy::Rules> rules = {};
};

class RestrictedCatalogs {
 public:
  // The catalog for callers to whom the rules `about` apply. REQUIRES: there are rules.
  std::shared_ptr<const Catalog> of(const CatalogSnapshot& snapshot,
                                    const policy::Rules::Set& about);

  // The catalog for that caller.
  std::shared_ptr<const Catalog> of(const CatalogSnapshot& snapshot, const Principal& caller) {
    return snapshot.rules ? of(snapshot, snapshot.rules->about(caller)) : snapshot.catalog;
  }

 private:
  struct Known {
    std::uint64_t whole;  // The number of the catalog that it is a part of.
    std::shared_ptr<const policy::Rules> rules;
    policy::Rules::Set about;
    std::weak_ptr<const Catalog> catalog;
  };
  static constexpr std::size_t kMost = 256;

  std::shared_ptr<const Catalog> find(const CatalogSnapshot& snapshot,
                                      const policy::Rules::Set& about) const;

  std::mutex mutex_;
  std::deque<Known> known_;  // The newest in front.
};

}  // namespace patchbay::gateway
