// A ReplayGuard stores the ids of messages of each client, so that a message that is repeated, by
// accident or by an attacker, is not accepted twice. Ids are stored for `id_time`, a bounded number
// per client.
//
// With a window, a message is valid only while its time is within the window around ours, and ids
// are stored as long as their messages would be valid. When an id is evicted, every message that is
// not newer than it is refused from then on, so eviction never lets a message in twice.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/result.h"

namespace patchbay::policy {

struct ReplaySettings {
  std::chrono::seconds window{0};       // 0: the time of a message is not checked.
  std::chrono::nanoseconds id_time{0};  // 0: without a window, ids are not checked.
  std::size_t ids = 1000;               // Per client.
  std::size_t clients = 10'000;
};

class ReplayGuard {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  void update(const ReplaySettings& settings);

  // Code::invalid_request if the message of `client` is too old, too far ahead, or a repetition.
  Result<void> check(const std::string& client, const std::string& id, WallTime time, WallTime now);

 private:
  struct Seen {
    const std::string* id;  // In `ids`.
    WallTime time;          // As stated in the message.
    WallTime received;
  };
  struct Client {
    std::unordered_set<std::string> ids;
    std::deque<Seen> order;            // In order of arrival.
    WallTime floor = WallTime::min();  // Messages that are not newer are refused.
    WallTime last{};
    std::list<std::string>::iterator position;
  };

  bool is_judging_times() const { return settings_.window.count() > 0; }
  Client* client_of(const std::string& name, WallTime now);
  void remember(Client& client, const std::string& id, WallTime time, WallTime now) const;
  static void forget_oldest(Client& client);
  void forget_old(Client& client, WallTime now);

  std::mutex mutex_;
  ReplaySettings settings_;
  std::unordered_map<std::string, Client> clients_;
  std::list<std::string> by_use_;  // The least recently used first.
};

}  // namespace patchbay::policy
