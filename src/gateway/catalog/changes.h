// Which client is affected by a change of catalogs or rules: each receives only changes in what it
// sees itself.
//
// Confined to the worker that notifies; computed once for all clients that see the same.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/principal.h"
#include "gateway/catalog/restricted_catalogs.h"

namespace patchbay::gateway {

// The lists that have changed.
class CatalogChanges {
 public:
  // REQUIRES: `restricted` outlives this.
  CatalogChanges(CatalogSnapshot before, CatalogSnapshot now, RestrictedCatalogs& restricted)
      : before_(std::move(before)), now_(std::move(now)), restricted_(restricted) {}

  // The notifications of the changes for `caller`.
  const std::vector<std::string_view>& of(const Principal& caller);

 private:
  struct Known {
    std::shared_ptr<const Catalog> before;
    std::shared_ptr<const Catalog> now;
    std::vector<std::string_view> notifications;
  };

  const CatalogSnapshot before_;
  const CatalogSnapshot now_;
  RestrictedCatalogs& restricted_;
  std::map<std::pair<const Catalog*, const Catalog*>, Known> known_;
};

// A changed resource, under the name that each client knows.
class ResourceUpdate {
 public:
  // `uri` is the upstream's own. REQUIRES: `restricted` outlives this.
  ResourceUpdate(std::string upstream, std::string uri, CatalogSnapshot now,
                 RestrictedCatalogs& restricted)
      : upstream_(std::move(upstream)),
        uri_(std::move(uri)),
        now_(std::move(now)),
        restricted_(restricted) {}

  // The URI that `caller` knows; empty if the caller may not use it.
  const std::string& of(const Principal& caller);

 private:
  const std::string upstream_;
  const std::string uri_;
  const CatalogSnapshot now_;
  RestrictedCatalogs& restricted_;
  std::map<std::shared_ptr<const Catalog>, std::string> known_;
};

}  // namespace patchbay::gateway
