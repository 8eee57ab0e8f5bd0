// TaskTools store which tool created a task, so that the result of the task can be validated
// against the tool's schema, and in which call, so that traces of later requests link to it. The
// oldest entries are removed when there are too many; their tasks are neither validated nor linked.
//
// Any thread.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/context.h"

namespace patchbay::gateway {

class TaskTools {
 public:
  struct Origin {
    std::string tool;
    trace::SpanContext call = {};  // Invalid if the call was not recorded.
  };

  // The call that created the task `id` of the upstream. At most `most` are stored.
  void add(std::string_view upstream, std::string_view id, Origin origin, std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::string key = key_of(upstream, id);
    if (tools_.insert_or_assign(key, std::move(origin)).second) order_.push_back(std::move(key));
    while (order_.size() > most) {
      tools_.erase(order_.front());
      order_.pop_front();
    }
  }

  std::optional<Origin> find(std::string_view upstream, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = tools_.find(key_of(upstream, id));
    return found == tools_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  // Names of upstreams contain no colon.
  static std::string key_of(std::string_view upstream, std::string_view id) {
    return std::string(upstream).append(":").append(id);
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Origin> tools_;
  std::deque<std::string> order_;  // The oldest first.
};

}  // namespace patchbay::gateway
