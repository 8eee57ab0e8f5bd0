// The OpenClients are what clients have open: sessions, streams, WebSockets, connections of the
// wire protocol. Each is listed from its beginning to its end; calls cost nothing here. An admin
// can end one.
//
// Usable from any thread; guarded by a mutex, which is taken when something opens or ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "async/executor.h"
#include "core/principal.h"
#include "core/result.h"

namespace patchbay::gateway {

struct OpenClient {
  std::string_view kind;      // A constant: "session", "stream" or "connection".
  std::string_view frontend;  // A constant: "mcp-http".
  Caller caller;
  std::string client = {};    // Name and version of the client program; empty if it states none.
  std::string revision = {};  // Of the protocol; empty: it has none.
  std::string from = {};      // Its address.
  std::chrono::system_clock::time_point since = std::chrono::system_clock::now();
};

class OpenClients {
 public:
  // A client that is listed as long as this exists. REQUIRES: the list outlives it.
  class Entry {
   public:
    Entry() = default;
    Entry(Entry&& other) noexcept
        : list_(std::exchange(other.list_, nullptr)), number_(other.number_) {}
    Entry& operator=(Entry&& other) noexcept {
      remove();
      list_ = std::exchange(other.list_, nullptr);
      number_ = other.number_;
      return *this;
    }
    ~Entry() { remove(); }

    void remove() {
      if (list_) std::exchange(list_, nullptr)->remove(number_);
    }

    // How to end it: called on the thread of `owner`, while this exists. REQUIRES: this is removed
    // on that thread.
    void on_end(Executor& owner, std::function<void()> end) {
      if (list_) list_->set_end(number_, owner, std::move(end));
    }

    // The client has introduced itself.
    void describe(std::string_view client, std::string_view revision) {
      if (list_) list_->describe(number_, client, revision);
    }

   private:
    friend class OpenClients;
    Entry(OpenClients* list, std::uint64_t number) : list_(list), number_(number) {}

    OpenClients* list_ = nullptr;
    std::uint64_t number_ = 0;
  };

  Entry add(OpenClient client) {
    const std::lock_guard lock(mutex_);
    clients_.emplace(++last_, std::move(client));
    return {this, last_};
  }

  // At most `most` of those after number `after`, in the order in which they opened.
  std::vector<std::pair<std::uint64_t, OpenClient>> list(std::uint64_t after,
                                                         std::size_t most) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<std::uint64_t, OpenClient>> found;
    for (auto at = clients_.upper_bound(after); at != clients_.end() && found.size() < most; ++at) {
      found.emplace_back(*at);
    }
    return found;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return clients_.size();
  }

  // Ends that client soon, and yields what it was. Code::not_found if there is none;
  // Code::invalid_request if it cannot be ended.
  Result<OpenClient> end(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(number);
    if (found == clients_.end()) return Error{Code::not_found, "no such client is open"};
    const auto ending = ends_.find(number);
    if (ending == ends_.end()) {
      return Error{Code::invalid_request, "this client cannot be ended from here"};
    }
    ending->second.owner->post([this, number] { end_here(number); });
    return found->second;
  }

 private:
  struct Ending {
    Executor* owner;
    std::function<void()> end;
  };

  void set_end(std::uint64_t number, Executor& owner, std::function<void()> end) {
    const std::lock_guard lock(mutex_);
    ends_.insert_or_assign(number, Ending{&owner, std::move(end)});
  }

  // It may have ended meanwhile. It cannot while its end is called: that is on its own thread.
  void end_here(std::uint64_t number) {
    std::function<void()> end;
    {
      const std::lock_guard lock(mutex_);
      const auto found = ends_.find(number);
      if (found != ends_.end()) end = found->second.end;
    }
    if (end) end();
  }

  void describe(std::uint64_t number, std::string_view client, std::string_view revision) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(number);
    if (found == clients_.end()) return;
    found->second.client = client;
    found->second.revision = revision;
  }

  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    clients_.erase(number);
    ends_.erase(number);
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, OpenClient> clients_;
  std::map<std::uint64_t, Ending> ends_;  // Those that can be ended.
  std::uint64_t last_ = 0;
};

// The clients of this process.
inline OpenClients& open_clients() {
  static OpenClients the_clients;
  return the_clients;
}

}  // namespace patchbay::gateway
