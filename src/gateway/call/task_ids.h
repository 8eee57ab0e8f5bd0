// The ids under which clients know the tasks of upstreams. Such an id leads back to its upstream
// without anything being remembered, and it is marked for the principal that made the task: to
// anyone else it is not an id at all. Marks are good as long as their key, which is the process's.
//
// Immutable; used on any worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/seal.h"
#include "gateway/call/call.h"

namespace patchbay::gateway {

class TaskIds {
 public:
  explicit TaskIds(policy::Sealer key) : key_(key) {}

  // How `caller` knows the task that `upstream` calls `id`.
  std::string listed(const Principal& caller, std::string_view upstream, std::string_view id) const;

  struct Location {
    std::string upstream;
    std::string id;  // The upstream's own.
  };
  // Empty if it is not the id of a task of `caller`.
  std::optional<Location> find(const Principal& caller, std::string_view listed) const;

 private:
  const policy::Sealer key_;
};

// How the client of `call` knows the task that the call's upstream calls `id`.
std::string listed_task(const Call& call, std::string_view id);

}  // namespace patchbay::gateway
