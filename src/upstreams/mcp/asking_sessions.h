// AskingSessions decides which sessions get a connection of their own because the server asks its
// clients something (sampling, elicitation). Such a question does not say which call it belongs to.
// When calls of several sessions run on one connection, nobody can be asked.
//
// Sessions share a connection as long as they use it one after the other. A session that makes a
// call while one of another is running gets its own, if the server is known to ask, or if that is
// not known yet and the client of one of the two can be asked.
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
  // A server that has not asked in this many calls of clients that could be asked does not ask.
  static constexpr int kTrialCalls = 20;
  // Shared connections whose users are remembered; sessions on further ones share.
  static constexpr std::size_t kMaxShared = 1'000;

  // The server has asked something without saying in which call.
  void on_asked() { asks_.store(true, std::memory_order_relaxed); }
  bool asks() const { return asks_.load(std::memory_order_relaxed); }

  // It does not ask, as far as is known, and no further calls are watched for it.
  bool decided() const { return !asks() && calls_.load(std::memory_order_relaxed) >= kTrialCalls; }

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
      running.session = kSeveral;  // It runs beside the others, none of which can be asked.
    } else {
      running = {std::string(session), askable};
    }
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
  std::atomic<int> calls_ = 0;

  std::mutex mutex_;
  std::map<std::string, User> users_;  // The session that has calls running.
};

}  // namespace patchbay::upstreams
