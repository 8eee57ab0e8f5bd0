// The catalogs that callers see who may not see everything. Each is made when first wanted, and is
// the same for all workers and all callers about whom the same rules are. It lives as long as a
// worker holds it; here is only where they find each other's.
//
// Used on any worker; guarded by a mutex, since each worker keeps what it has found.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "gateway/catalog/catalog.h"
#include "policy/rules/rules.h"

namespace patchbay::gateway {

// A catalog and the rules over it; without rules it is whole for everybody.
struct CatalogSnapshot {
  std::shared_ptr<const Catalog> catalog;
  std::shared_ptr<const policy::Rules> rules = {};
};

class RestrictedCatalogs {
 public:
  // What those see about whom the rules `about` are. REQUIRES: there are rules.
  std::shared_ptr<const Catalog> of(const CatalogSnapshot& snapshot,
                                    const policy::Rules::Set& about);

  // What that caller sees.
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
