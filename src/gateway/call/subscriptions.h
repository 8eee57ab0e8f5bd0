// The resources and tasks that clients subscribe to: Subscriptions counts over all clients; a
// Subscriber and FollowedTasks are the sets of one client.
//
// All are used on any worker and guarded by a mutex, since subscribing is rare.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::gateway {

// A resource is subscribed to at the upstream for its first client and unsubscribed from after its
// last.
class Subscriptions {
 public:
  void add(std::string_view upstream, std::string_view uri) {
    const std::lock_guard lock(mutex_);
    ++wanted_[{std::string(upstream), std::string(uri)}];
  }

  // True if no client needs it any more.
  bool remove(std::string_view upstream, std::string_view uri) {
    const std::lock_guard lock(mutex_);
    const auto found = wanted_.find({std::string(upstream), std::string(uri)});
    if (found == wanted_.end()) return true;
    if (--found->second > 0) return false;
    wanted_.erase(found);
    return true;
  }

  bool has(std::string_view upstream, std::string_view uri) const {
    const std::lock_guard lock(mutex_);
    return wanted_.contains({std::string(upstream), std::string(uri)});
  }

  // The subscriptions that an upstream must get again after it has come up.
  std::vector<std::string> of(std::string_view upstream) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> uris;
    for (const auto& [key, count] : wanted_) {
      if (key.first == upstream) uris.push_back(key.second);
    }
    return uris;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, int> wanted_;
};

// A Subscriber is one client's set of subscribed resources. Guarded too, because requests of one
// session arrive on several workers.
class Subscriber {
 public:
  void add(std::string_view uri) {
    const std::lock_guard lock(mutex_);
    uris_.emplace(uri);
  }
  void remove(std::string_view uri) {
    const std::lock_guard lock(mutex_);
    if (const auto found = uris_.find(uri); found != uris_.end()) uris_.erase(found);
  }
  bool wants(std::string_view uri) const {
    const std::lock_guard lock(mutex_);
    return uris_.contains(uri);
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return {uris_.begin(), uris_.end()};
  }
  std::set<std::string, std::less<>> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(uris_, {});
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> uris_;
};

// The tasks whose updates one client receives. Guarded like the others.
class FollowedTasks {
 public:
  // `key` identifies the task (see task_key), `listed` is the id that the client knows. Tasks above
  // the limit are left out.
  void add(const std::string& key, std::string listed) {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() < kMost) tasks_[key] = std::move(listed);
  }
  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    tasks_.erase(key);
  }
  // The id that the client knows; empty if the client does not follow the task.
  std::string find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(key);
    return found == tasks_.end() ? "" : found->second;
  }

 private:
  static constexpr std::size_t kMost = 1000;

  mutable std::mutex mutex_;
  std::map<std::string, std::string> tasks_;
};

}  // namespace patchbay::gateway
