// Changes of files that the gateway has read and refused, with the reasons, until a later change is
// applied. Operators see them at /ready.
//
// Usable from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace patchbay::app {

class Refusals {
 public:
  // Replaces the reasons of `source`; none: nothing is refused.
  void set(const std::string& source, std::vector<std::string> reasons) {
    const std::lock_guard lock(mutex_);
    reasons_[source] = std::move(reasons);
  }

  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [source, reasons] : reasons_) {
      found.insert(found.end(), reasons.begin(), reasons.end());
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> reasons_;
};

}  // namespace patchbay::app
