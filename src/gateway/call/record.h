// The Recorder writes down every call: one log line, the counters that /metrics shows, and the
// audit record where one is written.
//
// One per worker; confined to it. The series behind it are shared.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "async/task.h"
#include "core/error.h"
#include "core/text_hash.h"
#include "gateway/call/call.h"
#include "mcp/reply.h"
#include "observe/metrics.h"
#include "policy/audit/log.h"

namespace patchbay::gateway {

// What a call came to: the number of a Code, or one of those that no Code stands for.
enum class Outcome : std::uint8_t {
  ok = kCodes.size(),
  upstream_error,  // The upstream answered with an error.
  tool_error,      // The tool failed: its result has `isError`.
};
inline constexpr std::size_t kOutcomes = kCodes.size() + 3;

class Recorder {
 public:
  explicit Recorder(metrics::Registry& registry) : registry_(registry) {}

  // Notes what became of the call.
  void record(const Call& call, const mcp::Reply& reply, Deadline began);

  // Whether a call whose record cannot be written is refused.
  bool must_keep() const { return audit_ && audit_->settings().required; }
  Result<void> check() const { return must_keep() ? audit_->check() : ok(); }

  // REQUIRES: must_keep(). Keeps the audit record, and waits until that is done.
  Task<void> keep(const Call& call, const mcp::Reply& reply, Deadline began);

  // Keeps a record of something that is no call. Failed log-ins are bounded: see AuditLog.
  void event(policy::AuditRecord record) {
    if (audit_) audit_->put(std::move(record));
  }
  void failed_log_in(policy::AuditRecord record) {
    if (audit_) audit_->put_failed_log_in(std::move(record));
  }

  // Null: no audit records are written.
  void set_audit(std::shared_ptr<policy::AuditLog> audit) { audit_ = std::move(audit); }

  void set_log_calls(bool on) { log_calls_ = on; }

  // How many tools, and how many clients, are counted by name. The rest is counted together.
  void set_max_names(std::size_t most) { max_names_ = most; }

 private:
  using Counters = std::array<std::shared_ptr<metrics::Counter>, kOutcomes>;  // Made when counted.
  struct Series {
    std::shared_ptr<metrics::Histogram> seconds;
    Counters calls;
  };
  // Calls by the name of something: of a tool, or of a client.
  struct Named {
    std::string family;
    std::string help;
    std::string_view label;
    TextMap<Counters> by_name = {};  // At most as many as are counted by name, and "other".
  };
  void count(const std::string& upstream, Outcome outcome, double seconds);
  void count(Named& named, std::string_view name, Outcome outcome);
  Series& series(const std::string& upstream);
  void log(const Call& call, const mcp::Reply& reply, Outcome outcome, double seconds);

  metrics::Registry& registry_;
  std::shared_ptr<policy::AuditLog> audit_;
  bool log_calls_ = true;
  std::unordered_map<std::string, Series> by_upstream_;
  std::size_t max_names_ = 500;
  Named by_tool_{"patchbay_tool_calls_total", "Calls by tool and outcome.", "tool"};
  Named by_client_{"patchbay_client_calls_total", "Calls by client and outcome.", "client"};
};

}  // namespace patchbay::gateway
