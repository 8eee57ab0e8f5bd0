// The ids under which clients know the tasks of upstreams. Such an id contains its upstream, so
// that nothing needs to be stored, and a mark of the principal that created the task: for any other
// caller it is not an id at all. Marks are valid as long as the keyring has their key, so that an
// id outlives the process.
//
// Immutable; used on any worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/keyring.h"
#include "gateway/call/call.h"

namespace patchbay::gateway {

class TaskIds {
 public:
  // REQUIRES: the keys outlive this.
  explicit TaskIds(const policy::Keyring& keys) : keys_(keys) {}

  // The id under which `caller` knows the task `id` of `upstream`.
  std::string listed(const Principal& caller, std::string_view upstream, std::string_view id) const;

  struct Location {
    std::string upstream;
    std::string id;  // The upstream's own id.
  };
  // Empty if it is not the id of a task of `caller`.
  std::optional<Location> find(const Principal& caller, std::string_view listed) const;

 private:
  const policy::Keyring& keys_;
};

// The id under which the client of `call` knows the task `id` of the call's upstream.
std::string listed_task(const Call& call, std::string_view id);

}  // namespace patchbay::gateway
