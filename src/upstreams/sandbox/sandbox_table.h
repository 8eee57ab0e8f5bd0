// The SandboxTable holds the sandboxes and their owners. A caller cannot access a sandbox of
// another owner: for everyone else it does not exist. A sandbox that is unused for its time to live
// is ended.
//
// Confined to one worker.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/timers.h"
#include "gateway/sandbox_host.h"
#include "upstreams/sandbox/pool.h"

namespace patchbay::upstreams {

struct Sandbox {
  std::string id;
  std::string owner;
  std::shared_ptr<Guest> guest;
  SandboxLimits limits;
  bool warm = false;
  std::chrono::system_clock::time_point created;
  config::Duration ttl{0};
  sandbox::Usage seen = {};  // Extended by each use.
  Deadline expires = kNever;
  int uses = 0;  // Calls that use it now.
  std::optional<gateway::SandboxRun> last = {};
};

class SandboxTable {
 public:
  // REQUIRES: what is referred to outlives the table.
  SandboxTable(SandboxPool& pool, const SandboxSettings& settings, const SandboxCounters& counters);
  ~SandboxTable();

  // A slot for one more sandbox of `owner`, which must be filled or returned. Code::overloaded if
  // there are too many.
  Result<void> reserve(const std::string& owner);
  void put_back(const std::string& owner);

  // Adds a sandbox in a reserved slot.
  std::shared_ptr<Sandbox> enter(const std::string& owner, SandboxPool::Taken taken,
                                 const SandboxLimits& limits, config::Duration ttl);

  // Code::not_found if there is none of that id, or it belongs to another owner.
  Result<std::shared_ptr<Sandbox>> find(const std::string& owner, std::string_view id);

  // The same for any owner.
  Result<std::shared_ptr<Sandbox>> find_any(std::string_view id) const;

  std::vector<std::shared_ptr<Sandbox>> of(const std::string& owner) const;
  std::vector<std::shared_ptr<Sandbox>> all() const;

  // Removes a sandbox and ends it. No effect if that has been done.
  void remove(const Sandbox& sandbox);

  // A call begins or ends to use it; its time to live starts again.
  void begin_use(Sandbox& sandbox);
  void end_use(const std::shared_ptr<Sandbox>& sandbox);

  // Ends all sandboxes.
  void clear();

 private:
  class Watch;
  struct Entry;

  void expire(std::string id);

  SandboxPool& pool_;
  const SandboxSettings& settings_;
  const SandboxCounters& counters_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::map<std::string, int> counts_;  // By owner, including reserved slots.
  int count_ = 0;
};

}  // namespace patchbay::upstreams
