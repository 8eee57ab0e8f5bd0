// VainQuestions remembers in which calls a server with sessions has asked for something that a
// client could not do: what the calls are about, and which capability the client would have needed.
//
// Used on any worker.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace patchbay::upstreams {

class VainQuestions {
 public:
  // How many are told apart; that there were any is never forgotten.
  static constexpr std::size_t kMost = 1'000;

  // `capability` is a constant of the protocol, which lives for ever.
  void add(std::string_view target, std::string_view capability) {
    const std::lock_guard lock(mutex_);
    if (asked_.size() < kMost) asked_.insert_or_assign(std::string(target), capability);
  }

  bool any() const {
    const std::lock_guard lock(mutex_);
    return !asked_.empty();
  }

  // What the server asked for in a call about that; empty if it is not known to ask.
  std::string_view find(std::string_view target) const {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(target);
    return found == asked_.end() ? std::string_view() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string_view, std::less<>> asked_;
};

}  // namespace patchbay::upstreams
