// Sessions of the session-based revisions. Each session has an owner worker, which its id names.
// Any worker can find a session, and then caches it.
//
// One Sessions per worker, confined to it; all share a Directory.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/hop.h"
#include "core/principal.h"
#include "core/shares.h"
#include "core/text_hash.h"
#include "gateway/call/subscriptions.h"
#include "gateway/event_stream.h"
#include "gateway/open_clients.h"
#include "mcp/revision.h"

namespace patchbay::gateway {

struct Session {
  // Constant.
  std::string id;
  std::string digest = {};  // See gateway/call/session_digest.h.
  mcp::Revision revision = mcp::kNewestSessionBased;
  Caller owner;
  std::string capabilities = "{}";  // Of the client, raw.
  std::string client_info = {};     // Of the client: see gateway/call/client_info.h.
  int worker = 0;

  // Any worker.
  std::optional<int> wanted_level() const {
    const int level = log_level.load();
    return level < 0 ? std::nullopt : std::optional(level);
  }

  OpenClients::Entry listed;  // Removed when the session ends.
  Shares::Share share;        // The share of its owner; returned when the session ends.
  std::atomic<bool> ended = false;
  std::atomic<int> log_level = -1;  // The least important messages that it receives; -1: never set.
  std::atomic<std::int64_t> last_used = 0;  // Clock ticks.
  Subscriber subscriber;
  FollowedTasks tasks;        // The tasks that it has created.
  std::atomic<int> open = 0;  // Requests and streams in progress, so that it is not idle.

  // Owner worker only.
  std::shared_ptr<EventStream>
      stream;  // For messages that belong to no request; made when it is requested.
};

class Sessions {
 public:
  // Shared by the Sessions of all workers.
  struct Directory {
    std::vector<Sessions*> workers;
    std::vector<Executor*> executors;
    std::atomic<std::size_t> count = 0;
    std::atomic<std::size_t> most = 20'000;
    std::atomic<std::int64_t> idle = 0;  // Clock ticks.
  };

  // `number` is the index of this worker in the directory. REQUIRES: both outlive the sessions.
  Sessions(int number, Directory& directory, EventStreams& streams)
      : number_(number), directory_(directory), streams_(streams) {}
  ~Sessions();

  // Code::overloaded if there are too many; Code::rate_limited if this owner, whose share is
  // `whose`, has too many.
  Result<std::shared_ptr<Session>> create(mcp::Revision revision, Caller owner,
                                          std::string capabilities, std::string_view whose);

  // Code::session_not_found if it is unknown, has ended, or belongs to another caller.
  Task<std::shared_ptr<Session>> find(std::string id, const Principal& caller);

  // Ends the session on its owner worker.
  void end(Session& session);

  // Called on the owner worker when a session has ended.
  void on_end(std::function<void(std::shared_ptr<Session>)> notify) {
    notify_end_ = std::move(notify);
  }

  // Ends sessions that have been idle for too long, and removes those that have ended elsewhere.
  void sweep(Deadline now);

  // Calls `visit` for each session whose owner is this worker.
  template <class Visit>
  void each_on_worker(Visit visit) {
    for (const auto& [id, session] : known_) {
      if (session->worker == number_ && !session->ended) visit(*session);
    }
  }

 private:
  std::shared_ptr<Session> look_up(std::string_view id) const;

  const int number_;
  Directory& directory_;
  EventStreams& streams_;
  std::function<void(std::shared_ptr<Session>)> notify_end_;
  TextMap<std::shared_ptr<Session>> known_;
};

// Keeps a session from being idle, and records its use.
class SessionUse {
 public:
  explicit SessionUse(std::shared_ptr<Session> session);
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;
  ~SessionUse();

 private:
  const std::shared_ptr<Session> session_;
};

}  // namespace patchbay::gateway
