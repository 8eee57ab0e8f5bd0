// CompletedCalls stores the latest completed calls of a client, so that a reply to one of them is
// recognised as late or as a duplicate. Every call writes to it and few replies read it, so it is a
// ring of digests: whole ids, each with its own memory, would cost every call several cache misses.
//
// Confined to its worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace patchbay::upstreams {

class CompletedCalls {
 public:
  explicit CompletedCalls(std::size_t most) : most_(most) {}

  void add(std::string_view id, bool answered) {
    const std::uint64_t mark = mark_of(id) | (answered ? kAnswered : 0);
    if (marks_.size() < most_) {
      marks_.push_back(mark);
    } else if (most_ > 0) {
      marks_[oldest_] = mark;
      oldest_ = (oldest_ + 1) % most_;
    }
  }

  // Whether the call was answered; nothing if it is not one of the latest.
  std::optional<bool> answered(std::string_view id) const {
    const auto found =
        std::ranges::find(marks_, mark_of(id), [](auto one) { return one & ~kAnswered; });
    if (found == marks_.end()) return std::nullopt;
    return (*found & kAnswered) != 0;
  }

 private:
  static constexpr std::uint64_t kAnswered = 1;

  static std::uint64_t mark_of(std::string_view id) {
    return std::hash<std::string_view>{}(id) & ~kAnswered;
  }

  const std::size_t most_;
  std::vector<std::uint64_t> marks_;
  std::size_t oldest_ = 0;  // Once the maximum number is reached.
};

}  // namespace patchbay::upstreams
