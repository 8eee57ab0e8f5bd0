#include "gateway/catalog/restricted_catalogs.h"

#include <algorithm>

namespace patchbay::gateway {

std::shared_ptr<const Catalog> RestrictedCatalogs::find(const CatalogSnapshot& snapshot,
                                                        const policy::Rules::Set& about) const {
  const auto found = std::ranges::find_if(known_, [&](const Known& one) {
    return one.whole == snapshot.catalog->number() && one.rules == snapshot.rules &&
           one.about == about;
  });
  return found == known_.end() ? nullptr : found->catalog.lock();
}

std::shared_ptr<const Catalog> RestrictedCatalogs::of(const CatalogSnapshot& snapshot,
                                                      const policy::Rules::Set& about) {
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find(snapshot, about)) return found;
  }
  // Built without the lock: two workers that need it at the same time both build it and do not
  // wait.
  auto made =
      snapshot.catalog->restricted(std::make_shared<const policy::Access>(snapshot.rules, about));
  const std::lock_guard lock(mutex_);
  if (auto found = find(snapshot, about)) return found;
  std::erase_if(known_, [](const Known& one) { return one.catalog.expired(); });
  known_.push_front({snapshot.catalog->number(), snapshot.rules, about, made});
  if (known_.size() > kMost) known_.pop_back();
  return made;
}

}  // namespace patchbay::gateway
