// TaskTools remember which tool made a task, so that the result of the task can be checked against
// what that tool promises. Of too many the oldest are forgotten; what is forgotten is not checked.
//
// Any thread.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::gateway {

class TaskTools {
 public:
  // `tool` of the upstream made the task that the upstream calls `id`. `most` are stored.
  void add(std::string_view upstream, std::string_view id, std::string tool, std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::string key = key_of(upstream, id);
    if (tools_.insert_or_assign(key, std::move(tool)).second) order_.push_back(std::move(key));
    while (order_.size() > most) {
      tools_.erase(order_.front());
      order_.pop_front();
    }
  }

  std::optional<std::string> find(std::string_view upstream, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = tools_.find(key_of(upstream, id));
    return found == tools_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  // Names of upstreams have no colon.
  static std::string key_of(std::string_view upstream, std::string_view id) {
    return std::string(upstream).append(":").append(id);
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> tools_;
  std::deque<std::string> order_;  // The oldest first.
};

}  // namespace patchbay::gateway
