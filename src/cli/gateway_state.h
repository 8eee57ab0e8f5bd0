// The state of a running gateway, read from its pages /ready and /metrics. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "cli/control.h"

namespace patchbay::app {

struct UpstreamStatus {
  std::string name;
  std::string kind;
  bool up = false;
  std::string detail;  // Why it is down, or what it reports.
  double tools = 0;
  double in_flight = 0;
  double calls = 0;  // Since the start.
  double errors = 0;
  double seconds = 0;  // The time of all calls.
  double restarts = 0;
};

// The calls of one client program, by the name that it states.
struct ClientStatus {
  std::string name;
  double calls = 0;  // Since the start.
  double errors = 0;
};

struct GatewayState {
  std::string status;
  std::vector<UpstreamStatus> upstreams;
  std::vector<ClientStatus> clients;
  std::vector<std::string> refused;  // Changes of files that are not in force, and why.
  double in_flight = 0;
  double sessions = 0;
  double connections = 0;
  double memory = 0;  // Resident, in bytes.
};

// `ready` is the body of /ready, `metrics` that of /metrics.
GatewayState read_state(std::string_view ready, std::string_view metrics);

Task<GatewayState> fetch_state(Control& control);

std::string to_json(const GatewayState& state);

// `1 call`, `2 calls`.
std::string count_of(double number, std::string_view one, std::string_view several);

}  // namespace patchbay::app
