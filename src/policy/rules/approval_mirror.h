// The ApprovalMirror is what this gateway knows of the approvals in the store: for lists, metrics
// and limits, which ask the store nothing. No decision about a call relies on it.
//
// It is notified what was read, written and reported, in any order; the higher version of an entry
// wins. Used on any thread; guarded by a mutex, since calls that need a person are rare.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/timers.h"
#include "policy/rules/approval_entry.h"

namespace patchbay::policy {

class ApprovalMirror {
 public:
  struct Limits {
    int pending = 0;
    int per_caller = 0;
  };

  // The store has this entry. An open one is forgotten at `expires`. `own`: a call that this
  // gateway has refused waits, and is counted here when nobody decides.
  void learn(const ApprovalEntry& entry, store::Version version, Deadline expires, bool own);

  // The store does not have that entry any more, up to that version: what version_of() returned
  // before the store was asked.
  store::Version version_of(const std::string& id) const;
  void forget(const std::string& id, store::Version version);

  // Whether it was used or refused, which is a later change than that version.
  bool is_over(const std::string& id, store::Version version) const;

  // A call that is about to wait counts from now on, until release(). Code::overloaded if too many
  // wait, or were approved and have not been repeated.
  Result<void> reserve(const ApprovalEntry& entry, const Limits& limits, Deadline now);
  void release(const std::string& id);

  // Forgets what has expired. Yields how long the own calls have waited about which nobody decided.
  std::vector<std::chrono::nanoseconds> purge(Deadline now);

  // The open ones; the oldest first.
  std::vector<ApprovalEntry> list(Deadline now) const;
  std::size_t waiting(Deadline now) const;

  // The same for the last approved calls. None: it was erased.
  void learn_call(const std::string& key, std::optional<ApprovedCall> call, store::Version version,
                  Deadline now);
  // Erased by this gateway; the version is not known.
  void forget_call(const std::string& key);
  // The `most` that were approved last; the oldest first.
  std::vector<ApprovedCall> calls(std::size_t most) const;
  // The keys of the others.
  std::vector<std::string> calls_beyond(std::size_t most) const;

 private:
  template <class T>
  struct Row {
    std::optional<T> value = {};  // None: it is over. What is reported late must not bring it back.
    store::Version version = store::kAbsent;
    Deadline forget = kNever;
    bool own = false;
    Deadline asked = {};  // Of an own one that waits.

    bool is_open(Deadline now) const { return value && forget > now; }
  };
  struct Reservation {
    std::string caller;
    int count = 0;
  };
  using CallRows = std::map<std::string, Row<ApprovedCall>>;

  std::vector<CallRows::const_iterator> newest_calls() const;

  mutable std::mutex mutex_;
  std::map<std::string, Row<ApprovalEntry>> entries_;
  std::map<std::string, Reservation> reservations_;
  CallRows calls_;
};

}  // namespace patchbay::policy
