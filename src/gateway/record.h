// The Recorder writes down every call: one log line, and the counters that /metrics shows.
//
// One per worker; confined to it. The series behind it are shared.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/call.h"
#include "mcp/reply.h"
#include "observe/metrics.h"

namespace patchbay::gateway {

class Recorder {
 public:
  explicit Recorder(metrics::Registry& registry) : registry_(registry) {}

  void record(const Call& call, const mcp::Reply& reply, Deadline began);

  void set_log_calls(bool on) { log_calls_ = on; }

 private:
  struct Series {
    std::unordered_map<std::string_view, std::shared_ptr<metrics::Counter>> outcomes;
    std::shared_ptr<metrics::Histogram> seconds;
  };
  Series& series(std::string_view upstream);
  void log(const Call& call, const mcp::Reply& reply, std::string_view outcome, double seconds);

  metrics::Registry& registry_;
  bool log_calls_ = true;
  std::unordered_map<std::string, Series> by_upstream_;
};

}  // namespace patchbay::gateway
