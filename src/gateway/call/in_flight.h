// The calls in progress of one worker, by session and request id, so that a client can cancel one
// of its own from any connection.
//
// One per worker; confined to it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "async/stop.h"

namespace patchbay::gateway {

class InFlight {
 public:
  // A call in progress, listed as long as it exists. A client that uses one id twice at the same
  // time has two independent entries.
  class Entry {
   public:
    Entry(InFlight& list, const void* session, std::string_view id, Stop& stop)
        : list_(list), position_(list.calls_.emplace(Key(session, id), &stop)) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { list_.calls_.erase(position_); }

   private:
    InFlight& list_;
    std::multimap<std::pair<const void*, std::string>, Stop*>::iterator position_;
  };

  // Requests the calls with that id to stop.
  void cancel(const void* session, std::string_view id) {
    const auto [first, last] = calls_.equal_range(Key(session, id));
    for (auto at = first; at != last; ++at) at->second->request();
  }

 private:
  using Key = std::pair<const void*, std::string>;
  std::multimap<Key, Stop*> calls_;
};

}  // namespace patchbay::gateway
