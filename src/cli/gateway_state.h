// The state of a running gateway, read from its control API (docs/admin-api.md). Values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "cli/control.h"

namespace patchbay::app {

// The calls of an upstream, a tool, a client program, or all of them.
struct LoadStatus {
  std::string name;
  double calls = 0;  // Since the start.
  double errors = 0;
  double rate = 0;        // Calls per second, within the window.
  double error_rate = 0;  // Errors per second.
  // Milliseconds, within the window; nothing where there was no call.
  std::optional<double> p50;
  std::optional<double> p95;
  std::optional<double> p99;
};

struct UpstreamStatus {
  std::string name;
  std::string kind;
  bool up = false;
  std::string detail;  // Why it is down, or what it reports.
  double tools = 0;
  double in_flight = 0;
  double restarts = 0;
  LoadStatus load = {};
};

struct GatewayState {
  std::string status;
  std::string version;
  std::string digest;  // Of the configuration.
  double uptime = 0;   // In seconds.
  bool admin = false;  // The caller may see everything.
  std::vector<UpstreamStatus> upstreams;
  std::vector<LoadStatus> tools;
  std::vector<LoadStatus> clients;
  LoadStatus total;
  double window = 0;                  // In seconds.
  std::vector<std::string> refused;   // Changes of files that are not in force, and why.
  std::vector<std::string> problems;  // What does not work on its machine.
  double in_flight = 0;
  double sessions = 0;
  double connections = 0;
  double memory = 0;  // Resident, in bytes.
};

// Answers of the control API.
struct StateAnswers {
  std::string status;
  std::string upstreams;
  std::string load;
};
GatewayState read_state(const StateAnswers& answers);

// Rates and latencies are those of about the last `window` seconds.
Task<GatewayState> fetch_state(Control& control, int window);

std::string to_json(const GatewayState& state);

// `1 call`, `2 calls`.
std::string count_of(double number, std::string_view one, std::string_view several);

}  // namespace patchbay::app
