// UnanswerableRequests stores in which calls a session-based server has sent a request that the
// client could not answer: the item of the call, and the capability that the client lacked.
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
  // The maximum number of stored items; calls of further items are repeated each time.
  static constexpr std::size_t kMost = 1'000;

  struct Question {
    std::string_view capability;  // A constant of the protocol.
    unsigned lacking = 0;  // The part of the capability that the client lacked; see mcp::bits_of().
  };

  // The server sent a request during a call of `target`.
  void add(std::string_view target, const Question& question) {
    const std::lock_guard lock(mutex_);
    any_ = true;
    if (asked_.size() == kMost && !asked_.contains(target)) return;
    auto& known = asked_[std::string(target)];
    const auto same = std::ranges::find(known, question.capability, &Question::capability);
    if (same == known.end()) {
      known.push_back(question);
    } else if ((same->lacking & question.lacking) != 0) {
      same->lacking &= question.lacking;  // Only what both clients lacked is needed.
    }
  }

  // Whether anything is stored. Costs almost nothing.
  bool any() const { return any_.load(std::memory_order_relaxed); }

  // The request that the server will send to a client that has only `abilities`, and that the
  // client cannot answer; empty if unknown.
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
