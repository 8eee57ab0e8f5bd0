// calls and trace: the finished calls that a running gateway remembers, as a list and one by one.
//
// The main thread of a command.
#pragma once

#include <string>

#include "cli/commands.h"

namespace patchbay::app {

// Filters of the control API; empty: any.
struct CallsOptions {
  std::string tool;
  std::string upstream;
  std::string caller;
  std::string client;
  std::string outcome;
  std::string trace;
  std::string slower_than;
  int most = 20;
  bool follow = false;  // Wait for new calls, until it is interrupted.
};

int show_calls(const ClientOptions& options, const CallsOptions& calls);

// The arguments are an optional target and the id of a trace, or last, slowest or failed.
int show_trace(const ClientOptions& options);

}  // namespace patchbay::app
