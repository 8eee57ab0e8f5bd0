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
          "Whether the client's own user is asked, where an MCP client can ask. Off: only an admin "
          "approves. Empty: off where `auth` says how callers are recognised, since a client that "
          "has a token may answer by itself; on where it does not."},
    Field{"expires", &policy::ApprovalSettings::expires,
          "How long a call waits for approval, and how long approval then waits for the call.",
          Range{Duration(1'000), Duration(86'400'000)}},
    Field{"pending", &policy::ApprovalSettings::pending, "How many calls may wait.",
          Range{1, 100'000}},
    Field{"per_caller", &policy::ApprovalSettings::per_caller,
          "How many calls of one caller may wait.", Range{1, 100'000}},
    Field{"arguments", &policy::ApprovalSettings::arguments,
          "The largest arguments that are shown to a person; a call with larger ones is refused.",
          Range{Bytes{256}, Bytes{1 << 20}}},
};

}  // namespace patchbay
