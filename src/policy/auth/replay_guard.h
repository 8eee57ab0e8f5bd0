// A ReplayGuard knows which messages of a client have been seen, so that one that comes again, by
// accident or because somebody has recorded it, is not taken twice. Ids are kept for `id_time`, a
// bounded number for each client.
//
// With a window, a message is good only while its time is within the window around ours, and ids
// are kept for as long as their messages would be good. Where one must make room, whatever is not
// newer than its message is refused from then on, so forgetting never lets a message in twice.
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
  std::chrono::seconds window{0};       // 0: the time of a message is not looked at.
  std::chrono::nanoseconds id_time{0};  // 0: without a window, ids are not looked at.
  std::size_t ids = 1000;               // Kept of each client.
  std::size_t clients = 10'000;
};

class ReplayGuard {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  void update(const ReplaySettings& settings);

  // Code::invalid_request if the message of `client` is too old, too far ahead, or was here before.
  Result<void> check(const std::string& client, const std::string& id, WallTime time, WallTime now);

 private:
  struct Seen {
    std::string id;
    WallTime time;  // As the message says.
    WallTime came;
  };
  struct Client {
    std::unordered_set<std::string> ids;
    std::deque<Seen> order;            // As they came.
    WallTime floor = WallTime::min();  // What is not newer is refused.
    WallTime last{};
    std::list<std::string>::iterator place;
  };

  bool is_judging_times() const { return settings_.window.count() > 0; }
  Client* client_of(const std::string& name, WallTime now);
  void forget_old(Client& client, WallTime now);

  std::mutex mutex_;
  ReplaySettings settings_;
  std::unordered_map<std::string, Client> clients_;
  std::list<std::string> by_use_;  // The one who was here longest ago is first.
};

}  // namespace patchbay::policy
