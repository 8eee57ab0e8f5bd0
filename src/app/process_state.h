// The ProcessState is what a gateway has beyond its memory: the store, and the keys of what clients
// hold. The keys are those of the configuration, or one in the state folder. Without either, they
// end with the process.
//
// Opened and updated on the control thread, which may block; keys() is for any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/settings.h"
#include "crypto/keyring.h"
#include "store/store.h"

namespace patchbay::app {

class ProcessState {
 public:
  static Result<std::unique_ptr<ProcessState>> open(const Settings& settings);

  policy::Keyring& keys() { return keys_; }
  store::Store& store() { return *store_; }

  // Writes what is queued for the store. REQUIRES: nothing is requested of it afterwards.
  void close() { store_->close(); }

  // The configuration has changed. Nothing becomes invalid whose key is still among the new ones,
  // and the key that the configuration did not name before is one of them.
  void update(const Settings& settings);

  // Why what clients hold ends with the process; empty: it does not.
  const std::string& passing() const { return secrets_.passing; }
  // Logs it, and what it means.
  void log_passing() const;

 private:
  struct Secrets {
    std::vector<std::string> all;
    std::string own = {};      // The one that the configuration does not name; empty: it names all.
    std::string passing = {};  // Why they end with the process.
  };

  explicit ProcessState(Secrets secrets) : secrets_(std::move(secrets)), keys_(secrets_.all) {}
  void use_bounds(const ClusterSection& section);
  static Result<std::unique_ptr<store::Store>> open_store(const Settings& settings,
                                                          const policy::Keyring& keys);
  static Result<Secrets> secrets_of(const Settings& settings);

  Secrets secrets_;
  policy::Keyring keys_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace patchbay::app
