// The Recorder records every call: one log line, the counters of /metrics, the audit record if one
// is written, and the record with its stages if calls are traced or stored.
//
// One per worker; confined to it. The underlying series are shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/task.h"
#include "gateway/call/call.h"
#include "gateway/call/call_metrics.h"
#include "gateway/call/call_record.h"
#include "gateway/call/trace_context.h"
#include "mcp/reply.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "policy/audit/log.h"

namespace patchbay::gateway {

class Recorder {
 public:
  explicit Recorder(metrics::Registry& registry) : metrics_(registry) {}

  // The call begins; from now on its stages are timed.
  void begin(const Call& call) const {
    begin_trace(call, tracing_.sampling, tracing_.history != nullptr);
  }

  // Whether begin() times the stages of calls.
  bool times_stages() const { return tracing_.is_on(); }

  // The outcome and the times of a call that has just ended: for all that follows.
  CallEnd end_of(const Call& call, const mcp::Reply& reply, Deadline began) const {
    return gateway::end_of(call, reply, began, tracing_.sampling);
  }

  // Records the outcome of the call.
  void record(const Call& call, const mcp::Reply& reply, const CallEnd& end);

  // Nothing of the call is timed any more. Stores its record, and exports it if it was sampled or
  // if its outcome requires it.
  void end(const Call& call, const mcp::Reply& reply, const CallEnd& end) const;

  // Begins the trace of something that is not a call but makes calls: a goal. end() stores its
  // record.
  void begin(trace::CallTrace& trace) const {
    trace.begin({}, tracing_.sampling, tracing_.history != nullptr);
  }
  void end(trace::CallRecord record, const trace::CallTrace& trace) const;

  // Whether a call whose record cannot be written is refused.
  bool must_keep() const { return audit_ && audit_->settings().required; }
  Result<void> check() const { return must_keep() ? audit_->check() : ok(); }

  // REQUIRES: must_keep(). Writes the audit record, and waits until that is done.
  Task<void> keep(const Call& call, const mcp::Reply& reply, const CallEnd& end);

  // Writes a record of an event that is not a call. Failed log-ins are bounded: see AuditLog.
  void event(policy::AuditRecord record) {
    if (audit_) audit_->put(std::move(record));
  }
  void failed_log_in(policy::AuditRecord record) {
    if (audit_) audit_->put_failed_log_in(std::move(record));
  }

  // Null: no audit records are written.
  void set_audit(std::shared_ptr<policy::AuditLog> audit) { audit_ = std::move(audit); }

  void set_tracing(Tracing tracing) { tracing_ = std::move(tracing); }

  // The file for records; empty: there is none.
  std::string audit_database() const { return audit_ ? audit_->settings().database : ""; }

  void set_log_calls(bool on) { log_calls_ = on; }

  // How many tools, and how many clients, are counted by name: the busiest. All others are counted
  // together.
  void set_max_names(std::size_t most) { metrics_.set_max_names(most); }

  // Called about once a second: which names are counted may change.
  void rank_names(Deadline now) { metrics_.rank_names(now); }

  CallMetrics& metrics() { return metrics_; }

 private:
  bool exports(bool sampled) const {
    return sampled && tracing_.queue && tracing_.queue->enabled();
  }
  std::optional<metrics::SampledCall> sampled_call(const Call& call, const CallEnd& end) const;
  void log(const Call& call, const mcp::Reply& reply, const CallEnd& end);

  CallMetrics metrics_;
  std::shared_ptr<policy::AuditLog> audit_;
  Tracing tracing_;
  bool log_calls_ = true;
};

}  // namespace patchbay::gateway
