// Approvals are the calls that wait for a person to approve them, and the approvals that were
// granted. An approval is single-use and bound to caller, tool, arguments and rule set, until it
// expires. They are in the store, so that all gateways with one store have the same ones.
//
// Each step (waiting, approved, used or refused) is one change of one entry under the condition
// that nobody has changed it meanwhile, so that it is made once, whichever gateways try. When the
// store fails, so does the step: with Code::unavailable and the setting that names the store.
//
// Used on any thread with an executor; start() and stop() on one and the same.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "config/settings.h"
#include "core/principal.h"
#include "observe/metrics.h"
#include "policy/rules/approval_entry.h"
#include "policy/rules/approval_mirror.h"

namespace patchbay::policy {

struct ApprovalSettings {
  std::optional<bool> elicit;  // Absent: off where callers have credentials.
  config::Duration expires{600'000};
  int pending = 1'000;
  int per_caller = 20;
  int remembered = 256;
  config::Bytes arguments{16 * 1024};
};

class Approvals {
 public:
  // REQUIRES: the store outlives this.
  explicit Approvals(store::Store& store) : store_(store) {}

  // From now on it learns of what other gateways do. Reads what is stored, again and again until
  // that succeeds.
  void start();
  Task<void> stop();

  void set(const ApprovalSettings& settings);
  ApprovalSettings settings() const;

  // Counts decisions and waiting calls there. REQUIRES: it outlives this; called once.
  void count_in(metrics::Registry& registry);

  // Records the decision of the user of a client: "approved", "refused", "unanswered".
  void note_decision(std::string_view outcome, std::chrono::nanoseconds waited);

  // Uses up the approval of `subject` and yields the name of its approver; empty if there is none.
  // After an error it may be used up all the same.
  Task<std::optional<std::string>> take(ApprovalSubject subject);

  // Adds a waiting call; the same call always has the same id. Code::overloaded if too many wait.
  // What other gateways add at the same moment does not count yet.
  Task<std::string> request(ApprovalSubject subject, std::string caller_name,
                            std::string arguments);

  // What other gateways have done in the last moments may be missing.
  Task<std::vector<ApprovalEntry>> list();

  // The last approved calls, one for each tool, so that a person sees what is different now. Those
  // of the tools approved last are remembered.
  std::vector<ApprovedCall> approved() const;

  // Code::not_found if no such call waits. Approving extends the expiry by the same time. A caller
  // cannot approve its own call (Code::forbidden), unless there is no authentication.
  Task<ApprovalEntry> find(std::string id);
  Task<ApprovalEntry> approve(std::string id, Principal by);
  Task<ApprovalEntry> refuse(std::string id);

 private:
  // What the store has under an id.
  struct Found {
    ApprovalEntry entry;
    store::Version version = store::kAbsent;
  };

  Task<void> load();
  Task<void> load_entries();
  Task<void> load_calls();
  Task<void> keep_loading();
  void on_change(const store::Change& change);
  void on_call_change(const store::Change& change);

  Task<Found> read(std::string id);
  Task<Found> read_open(std::string id);
  // False: another change was faster.
  Task<bool> write(const ApprovalEntry& entry, store::Version expected);
  Task<ApprovalEntry> decide(std::string id, const Principal* approver);
  Task<void> remember(const ApprovalEntry& entry);
  void count_expired();

  store::Store& store_;
  metrics::Registry* registry_ = nullptr;  // Constant once calls are served.
  mutable std::mutex mutex_;
  ApprovalSettings settings_;  // Guarded.
  ApprovalMirror mirror_;
  std::atomic<bool> loaded_ = false;

  // Used on the thread of start().
  std::unique_ptr<store::Watch> watch_;
  std::unique_ptr<store::Watch> call_watch_;
  Scope loading_;
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::ApprovalSettings>();

}  // namespace patchbay
