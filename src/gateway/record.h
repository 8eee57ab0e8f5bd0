// The Recorder writes down every call: one log line, the counters that /metrics shows, and the
// audit record where one is kept.
//
// One per worker; confined to it. The series behind it are shared.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "core/task.h"
#include "gateway/call.h"
#include "mcp/reply.h"
#include "observe/metrics.h"
#include "policy/audit_log.h"

namespace patchbay::gateway {

class Recorder {
 public:
  explicit Recorder(metrics::Registry& registry) : registry_(registry) {}

  // Notes what became of the call.
  void record(const Call& call, const mcp::Reply& reply, Deadline began);

  // Whether a call whose record cannot be kept is refused.
  bool must_keep() const { return audit_ && audit_->settings().required; }
  Result<void> check() const { return must_keep() ? audit_->check() : ok(); }

  // REQUIRES: must_keep(). Keeps the audit record, and waits until that is done.
  Task<void> keep(const Call& call, const mcp::Reply& reply, Deadline began);

  // Null: no audit records are kept.
  void set_audit(std::shared_ptr<policy::AuditLog> audit) { audit_ = std::move(audit); }

  void set_log_calls(bool on) { log_calls_ = on; }

 private:
  struct Series {
    std::unordered_map<std::string_view, std::shared_ptr<metrics::Counter>> outcomes;
    std::shared_ptr<metrics::Histogram> seconds;
  };
  void count(std::string_view upstream, std::string_view outcome, double seconds);
  Series& series(std::string_view upstream);
  void log(const Call& call, const mcp::Reply& reply, std::string_view outcome, double seconds);

  metrics::Registry& registry_;
  std::shared_ptr<policy::AuditLog> audit_;
  bool log_calls_ = true;
  std::unordered_map<std::string, Series> by_upstream_;
};

}  // namespace patchbay::gateway
