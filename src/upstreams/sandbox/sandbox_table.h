// The SandboxTable knows which sandboxes there are and whose they are. Nobody reaches one of
// another caller: for everybody but its owner it does not exist. One that nobody uses for its time
// to live is ended.
//
// Confined to one worker.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/timers.h"
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
  sandbox::Usage seen = {};  // Up to its last program.
  Deadline expires = kNever;
  int uses = 0;  // Calls that are in it now.
};

class SandboxTable {
 public:
  // REQUIRES: what is referred to outlives the book.
  SandboxTable(SandboxPool& pool, const SandboxSettings& settings, const SandboxCounters& counters);
  ~SandboxTable();

  // A place for one more of `owner`'s, which must be filled or given back. Code::overloaded if
  // there are too many.
  Result<void> reserve(const std::string& owner);
  void give_back(const std::string& owner);

  // Enters a sandbox in a reserved place.
  std::shared_ptr<Sandbox> enter(const std::string& owner, SandboxPool::Taken taken,
                                 const SandboxLimits& limits, config::Duration ttl);

  // Code::not_found if there is none of that id, or none of this owner's.
  Result<std::shared_ptr<Sandbox>> find(const std::string& owner, std::string_view id);

  std::vector<std::shared_ptr<Sandbox>> of(const std::string& owner) const;

  // Strikes a sandbox off and ends it. Nothing if that has been done.
  void remove(const Sandbox& sandbox);

  // A call begins or ends to use it; its time to live begins anew.
  void begin_use(Sandbox& sandbox);
  void end_use(const std::shared_ptr<Sandbox>& sandbox);

  // Ends all.
  void clear();

 private:
  class Watch;
  struct Entry;

  void expire(std::string id);

  SandboxPool& pool_;
  const SandboxSettings& settings_;
  const SandboxCounters& counters_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
  std::map<std::string, int> counts_;  // By owner, with the places that are reserved.
  int count_ = 0;
};

}  // namespace patchbay::upstreams
