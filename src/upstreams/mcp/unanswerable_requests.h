// UnanswerableRequests remembers in which calls a server with sessions has asked for something that
// a client could not do: what the calls are about, and what the client would have needed.
//
// Used on any worker.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::upstreams {

class UnanswerableRequests {
 public:
  // How many are remembered; of further ones each call finds out for itself.
  static constexpr std::size_t kMost = 1'000;

  struct Question {
    std::string_view capability;  // A constant of the protocol.
    unsigned lacking = 0;         // What the client could not do of it; see mcp::bits_of().
  };

  // The server asked in a call about `target`.
  void add(std::string_view target, const Question& question) {
    const std::lock_guard lock(mutex_);
    any_ = true;
    if (asked_.size() == kMost && !asked_.contains(target)) return;
    auto& known = asked_[std::string(target)];
    const auto same = std::ranges::find(known, question.capability, &Question::capability);
    if (same == known.end()) {
      known.push_back(question);
    } else if ((same->lacking & question.lacking) != 0) {
      same->lacking &= question.lacking;  // What both lacked is what it is about.
    }
  }

  // Whether there is anything to find. Costs next to nothing.
  bool any() const { return any_.load(std::memory_order_relaxed); }

  // What the server will request of a client that has only `abilities` and cannot answer; empty if
  // that is not known.
  std::optional<Question> find(std::string_view target, unsigned abilities) const {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(target);
    if (found == asked_.end()) return std::nullopt;
    for (const auto& question : found->second) {
      if ((question.lacking & abilities) == 0) return question;
    }
    return std::nullopt;
  }

 private:
  std::atomic<bool> any_ = false;

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Question>, std::less<>> asked_;  // One for each capability.
};

}  // namespace patchbay::upstreams
