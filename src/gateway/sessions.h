// Sessions of the session-based revisions. Each session has an owner worker, which its id names.
// Any worker can find a session, and then caches it.
//
// A session outlives the process. Its id (session_id.h) says everything that is needed to serve it,
// except what is stored in its record (session_records.h). A worker that meets an unknown id opens
// it, once. If this process has created the session, it is known to its owner, or has ended.
// Otherwise the worker on which it is placed restores it, unless it has ended or is too old. Two
// requests of one session on two workers meet on that worker, and so have one session.
//
// One Sessions per worker, confined to it; all share a Directory.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/hop.h"
#include "core/principal.h"
#include "core/shares.h"
#include "gateway/call/subscriptions.h"
#include "gateway/event_stream.h"
#include "gateway/open_clients.h"
#include "gateway/session_id.h"
#include "gateway/session_records.h"
#include "mcp/revision.h"

namespace patchbay::gateway {

struct Session {
  // Constant.
  std::string id;
  store::Time created;
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

  // It has used a program of its own or of its caller.
  std::atomic<bool> has_private = false;

  // Owner worker only.
  std::shared_ptr<EventStream>
      stream;  // For messages that belong to no request; made when it is requested.
};

// Who sends a request with the id of a session.
struct SessionVisitor {
  Caller caller;
  std::string share_owner;  // Whose share a session counts against.
  std::string from;         // The address.
};

class Sessions {
 public:
  // Shared by the Sessions of all workers.
  struct Directory {
    // REQUIRES: both outlive it.
    Directory(const policy::Keyring& ring, store::Store& stored);

    const policy::Keyring& keys;
    store::Store& store;
    const std::uint64_t run;  // Of this process.
    std::vector<Sessions*> workers;
    std::vector<Executor*> executors;
    std::atomic<std::size_t> count = 0;
    std::atomic<std::size_t> most = 20'000;
    std::atomic<std::int64_t> idle = 0;  // Clock ticks.
    // How old a session may be that is restored, in milliseconds.
    std::atomic<std::int64_t> max_age = 0;
  };

  // `number` is the index of this worker in the directory. REQUIRES: both outlive the sessions.
  Sessions(int number, Directory& directory, EventStreams& streams)
      : number_(number), directory_(directory), streams_(streams), records_(directory.store) {}
  ~Sessions();

  // What a client states with `initialize`.
  struct Conditions {
    mcp::Revision revision = mcp::kNewestSessionBased;
    std::string_view capabilities = "{}";
    std::string client_info = {};
  };

  // Code::overloaded if there are too many; Code::rate_limited if this caller has too many.
  Result<std::shared_ptr<Session>> create(const Conditions& conditions,
                                          const SessionVisitor& visitor);

  // The session of `caller` with this id, if this worker knows it; otherwise null.
  std::shared_ptr<Session> known(std::string_view id, const Principal& caller) const;

  // The same on every worker, and of earlier processes. Code::session_not_found if it is unknown,
  // has ended, or belongs to another caller. The errors of create() if it would have to be
  // restored.
  Task<std::shared_ptr<Session>> find(std::string id, SessionVisitor visitor);

  // Called on the owner worker when a session has been restored, with the resources that it
  // subscribed to.
  using NotifyRestored = std::function<void(std::shared_ptr<Session> session, std::string from,
                                            std::vector<std::string> uris)>;
  void on_restore(NotifyRestored notify) { notify_restored_ = std::move(notify); }

  // Stores what a client has set in its session.
  void save(const std::shared_ptr<Session>& session);

  // Ends the session on its owner worker.
  void end(Session& session);

  // The same, and waits until that is stored: the session stays ended, whatever happens next.
  Task<void> end_for_good(std::shared_ptr<Session> session);

  // Called on the owner worker when a session has ended.
  void on_end(std::function<void(std::shared_ptr<Session>)> notify) {
    notify_end_ = std::move(notify);
  }

  // Ends sessions that have been idle for too long, and removes those that have ended elsewhere.
  void sweep(Deadline now);

  // Clients may go on in another process: their sessions are idle here, and do not end.
  void hand_over() {
    handed_over_ = true;
    watch_others();
  }

  // Waits for what is being stored.
  Task<void> stop();

  // Calls `visit` for each session whose owner is this worker.
  template <class Visit>
  void each_on_worker(Visit visit) {
    for (const auto& [id, session] : known_) {
      if (session->worker == number_ && !session->ended) visit(*session);
    }
  }

 private:
  // An id is mostly random, and its end is.
  struct IdHash {
    std::size_t operator()(std::string_view id) const {
      constexpr std::size_t kEnd = 16;
      return std::hash<std::string_view>()(id.substr(id.size() - std::min(id.size(), kEnd)));
    }
  };

  std::shared_ptr<Session> look_up(std::string_view id) const;
  Task<std::shared_ptr<Session>> find_here(const std::string& id, const SessionId& opened,
                                           const SessionVisitor& visitor);
  Task<std::shared_ptr<Session>> restore(const std::string& id, const SessionId& opened,
                                         const SessionVisitor& visitor);
  Result<std::shared_ptr<Session>> add(std::string text, const SessionId& id,
                                       const SessionVisitor& visitor);
  std::size_t owner_of(const SessionId& id) const;
  store::Time end_of_age(store::Time created) const;
  SessionRecord record_of(const Session& session) const;
  void end_here(const std::string& id);
  void save_here(const Session& session);
  void watch_others();
  void end_by_key(const std::string& key);

  const int number_;
  Directory& directory_;
  EventStreams& streams_;
  SessionRecords records_;
  std::unique_ptr<store::Watch> watch_;
  std::function<void(std::shared_ptr<Session>)> notify_end_;
  NotifyRestored notify_restored_;
  bool handed_over_ = false;
  // By the ids in the sessions.
  std::unordered_map<std::string_view, std::shared_ptr<Session>, IdHash> known_;
  // The same by the keys of their records: those of this worker, in a store that others use.
  std::unordered_map<std::string, std::shared_ptr<Session>> by_record_;
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
