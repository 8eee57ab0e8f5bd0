// The keys with which nodes authenticate each other: derived from those of the cluster.
//
// Usable from any thread.
#pragma once

#include <vector>

#include "crypto/keyring.h"
#include "net/tls/settings.h"

namespace patchbay::cluster {

inline std::vector<net::TlsSharedKey> link_keys(const policy::Keyring& keys) {
  std::vector<net::TlsSharedKey> shared;
  for (auto& key : keys.derived(policy::Purpose::links)) {
    shared.push_back({std::move(key.fingerprint), std::move(key.key)});
  }
  return shared;
}

}  // namespace patchbay::cluster
