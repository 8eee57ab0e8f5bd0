// AskingSessions decides which sessions get a separate connection because the server asks its
// clients for input (sampling, elicitation). Such a question does not identify its call. If calls
// of several sessions run on one connection, it cannot be assigned.
//
// Sessions share a connection as long as they use it one after the other. A session that makes a
// call while one of another session is running gets its own connection if the server is known to
// ask, or if that is still unknown and the client of one of the two can be asked. A call without a
// session gets its own connection while others run, if the server is known to ask.
//
// Used on any worker.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace patchbay::upstreams {

class AskingSessions {
 public:
  // A server that has not asked during this many calls of clients that could be asked is assumed
  // not to ask.
  static constexpr int kTrialCalls = 20;
  // Shared connections whose users are stored; sessions on further ones share.
  static constexpr std::size_t kMaxShared = 1'000;

  // The server has asked a question without identifying the call. True for the first time.
  bool on_asked() { return !asks_.exchange(true, std::memory_order_relaxed); }
  bool asks() const { return asks_.load(std::memory_order_relaxed); }

  // The server is assumed not to ask, and calls are no longer observed.
  bool decided() const { return !asks() && calls_.load(std::memory_order_relaxed) >= kTrialCalls; }

  // A call without a session may soon need its own connection: the server asks, and clients without
  // a session can be asked.
  bool may_need_spare() const { return asks() && asked_alone_.load(std::memory_order_relaxed); }

  // Some session has its own connection.
  bool separated() const { return separated_.load(std::memory_order_relaxed); }

  // A call of `session` on the shared connections `shared`. True: the session should have its own.
  // `askable`: its client can be asked; `busy`: calls are running there.
  bool wants_own(const std::string& shared, std::string_view session, bool askable, bool busy) {
    if (decided()) return false;
    if (askable) calls_.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    auto user = users_.find(shared);
    if (user == users_.end()) {
      if (users_.size() >= kMaxShared) return false;
      user = users_.emplace(shared, User{std::string(session), askable}).first;
    }
    User& running = user->second;
    if (busy && running.session != session) {
      if (asks() || askable || running.askable) {
        separated_.store(true, std::memory_order_relaxed);
        return true;
      }
      running.session = kSeveral;  // It runs beside other calls, none of which can be asked.
    } else {
      running = {std::string(session), askable};
    }
    return false;
  }

  // The same for a call without a session, which cannot be distinguished from other such calls.
  bool wants_own_call(const std::string& shared, bool askable, bool busy) {
    if (decided()) return false;
    if (askable) {
      calls_.fetch_add(1, std::memory_order_relaxed);
      asked_alone_.store(true, std::memory_order_relaxed);
    }
    if (busy && asks()) return true;
    const std::lock_guard lock(mutex_);
    auto user = users_.find(shared);
    if (user == users_.end()) {
      if (users_.size() >= kMaxShared) return false;
      user = users_.emplace(shared, User{}).first;
    }
    user->second = {std::string(kSeveral), askable || (busy && user->second.askable)};
    return false;
  }

 private:
  struct User {
    std::string session;
    bool askable = false;  // Its client can be asked.
  };

  static constexpr std::string_view kSeveral = "*";  // No session has this id.

  std::atomic<bool> asks_ = false;
  std::atomic<bool> separated_ = false;
  std::atomic<bool> asked_alone_ = false;  // A client without a session can be asked.
  std::atomic<int> calls_ = 0;

  std::mutex mutex_;
  std::map<std::string, User> users_;  // The session that has calls running.
};

}  // namespace patchbay::upstreams
