// Approvals are the calls that wait for a person to approve them, and the approvals that were
// granted. An approval is single-use and bound to caller, tool, arguments and rule set, until it
// expires.
//
// Used on any thread; guarded by a mutex, since calls that need a person are rare.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/timers.h"
#include "config/settings.h"
#include "core/principal.h"
#include "observe/metrics.h"

namespace patchbay::policy {

struct ApprovalSettings {
  std::optional<bool> elicit;  // Absent: off where callers have credentials.
  config::Duration expires{600'000};
  int pending = 1'000;
  int per_caller = 20;
  int remembered = 256;
  config::Bytes arguments{16 * 1024};
};

// The parts of a call that an approval is bound to.
struct ApprovalSubject {
  std::string caller;  // Its id.
  std::string tool;    // upstream.tool
  std::string digest;  // Of the canonical arguments.
  std::string policy;  // The version of the rules.

  bool operator==(const ApprovalSubject&) const = default;
};

// A call that waits for approval, or has been approved and not been repeated yet.
struct ApprovalEntry {
  std::string id;
  ApprovalSubject subject;
  std::string caller_name;
  std::string arguments;  // Canonical.
  bool approved = false;
  Deadline asked = {};
  Deadline expires = {};
  std::string approved_by = {};  // The name of the approving caller.
};

// The last call of a tool that a person has approved.
struct ApprovedCall {
  std::string tool;
  std::string caller;  // Its id.
  std::string arguments;
  std::string by;  // The name of the approving caller.
  Deadline when = {};
};

class Approvals {
 public:
  void set(const ApprovalSettings& settings);
  ApprovalSettings settings() const;

  // Counts decisions and waiting calls there. REQUIRES: it outlives this; called once.
  void count_in(metrics::Registry& registry);

  // Records the decision of the user of a client: "approved", "refused", "unanswered".
  void note_decision(std::string_view outcome, std::chrono::nanoseconds waited);

  // Uses up the approval of `subject` and yields the name of its approver; empty if there is none.
  std::optional<std::string> take(const ApprovalSubject& subject, Deadline now);

  // Adds a waiting call; the same call always has the same id. Code::overloaded if too many wait.
  Result<std::string> request(const ApprovalSubject& subject, const Principal& caller,
                              std::string arguments, Deadline now);

  std::vector<ApprovalEntry> list(Deadline now);

  // The last approved calls, one for each tool, so that a person sees what is different now. Those
  // of the tools approved last are remembered.
  std::vector<ApprovedCall> approved() const;

  // Code::not_found if no such call waits. Approving extends the expiry by the same time. A caller
  // cannot approve its own call (Code::forbidden), unless there is no authentication.
  Result<ApprovalEntry> approve(const std::string& id, const Principal& by, Deadline now);
  Result<ApprovalEntry> refuse(const std::string& id, Deadline now);

 private:
  void remember(const ApprovalEntry& entry, Deadline now);
  void forget_oldest();
  void forget_expired(Deadline now);
  Result<std::deque<ApprovalEntry>::iterator> find(const std::string& id);
  std::size_t waiting() const;

  metrics::Registry* registry_ = nullptr;  // Constant once calls are served.
  mutable std::mutex mutex_;
  ApprovalSettings settings_;
  std::deque<ApprovalEntry> entries_;  // The oldest first.
  std::deque<ApprovedCall> approved_;  // The same.
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::ApprovalSettings>();

}  // namespace patchbay
