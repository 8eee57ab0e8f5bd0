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
#include <vector>

#include "async/timers.h"
#include "config/fields.h"
#include "core/principal.h"

namespace patchbay::policy {

struct ApprovalSettings {
  std::optional<bool> elicit;  // Absent: off where callers have credentials.
  config::Duration expires{600'000};
  int pending = 1'000;
  int per_caller = 20;
  config::Bytes arguments{16 * 1024};
};

// What an approval is bound to.
struct ApprovalSubject {
  std::string caller;  // Its id.
  std::string tool;    // upstream.tool
  std::string digest;  // Of the canonical arguments.
  std::string policy;  // The version of the rules.

  bool operator==(const ApprovalSubject&) const = default;
};

// A call that waits for approval, or is approved and has not been made yet.
struct ApprovalEntry {
  std::string id;
  ApprovalSubject subject;
  std::string caller_name;
  std::string arguments;  // Canonical.
  bool approved = false;
  Deadline expires = {};
  std::string approved_by = {};  // The name of the approving caller.
};

class Approvals {
 public:
  void set(const ApprovalSettings& settings);
  ApprovalSettings settings() const;

  // Uses up the approval of `subject` and yields the name of its approver; empty if there is none.
  std::optional<std::string> take(const ApprovalSubject& subject, Deadline now);

  // Adds a call that waits; the same call always has the same id. Code::overloaded if too many
  // wait.
  Result<std::string> request(const ApprovalSubject& subject, const Principal& caller,
                              std::string arguments, Deadline now);

  std::vector<ApprovalEntry> list(Deadline now);

  // Code::not_found if no such call waits. Approving extends the expiry by the same time. A caller
  // cannot approve its own call (Code::forbidden), unless there is no authentication.
  Result<ApprovalEntry> approve(const std::string& id, const Principal& by, Deadline now);
  Result<ApprovalEntry> refuse(const std::string& id, Deadline now);

 private:
  void forget_expired(Deadline now);
  Result<std::deque<ApprovalEntry>::iterator> find(const std::string& id);

  mutable std::mutex mutex_;
  ApprovalSettings settings_;
  std::deque<ApprovalEntry> entries_;  // The oldest first.
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
inline constexpr auto config::fields<policy::ApprovalSettings> = std::tuple{
    Field{"elicit", &policy::ApprovalSettings::elicit,
          "Whether an MCP client may ask its own user for approval (elicitation). Off: only an "
          "admin approves. Empty: off with `auth`, since a client with a token could answer by "
          "itself; on without it."},
    Field{"ttl", &policy::ApprovalSettings::expires,
          "How long a call waits for approval, and how long an approval then waits for the call.",
          Range{Duration(1'000), Duration(86'400'000)}, Alias{"expires"}},
    Field{"max_pending", &policy::ApprovalSettings::pending,
          "Maximum number of calls waiting for approval.", Range{1, 100'000}, Alias{"pending"}},
    Field{"max_pending_per_caller", &policy::ApprovalSettings::per_caller,
          "Maximum number of calls of one caller waiting for approval.", Range{1, 100'000},
          Alias{"per_caller"}},
    Field{"max_arguments_size", &policy::ApprovalSettings::arguments,
          "Maximum size of the arguments displayed to a person. A call with larger arguments is "
          "refused.",
          Range{Bytes{256}, Bytes{1 << 20}}, Alias{"arguments"}},
};

}  // namespace patchbay
