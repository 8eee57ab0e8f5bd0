// The Denylist contains queries that were aborted for their time, rows or size. One that is
// repeated is refused for a while instead of being run again.
//
// Usable from any thread.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "async/timers.h"

namespace patchbay::osquery {

class Denylist {
 public:
  explicit Denylist(std::chrono::nanoseconds time) : time_(time) {}

  // True if the query was aborted recently enough.
  bool has(const std::string& key, Deadline now) {
    const std::lock_guard lock(mutex_);
    const auto found = until_.find(key);
    return found != until_.end() && now < found->second;
  }

  void add(const std::string& key, Deadline now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(until_, [now](const auto& one) { return one.second <= now; });
    // A caller that makes many new ones is limited by each of them anyway.
    if (until_.size() < kMost) until_[key] = now + time_;
  }

 private:
  static constexpr std::size_t kMost = 1000;

  const std::chrono::nanoseconds time_;
  std::mutex mutex_;
  std::map<std::string, Deadline> until_;
};

}  // namespace patchbay::osquery
