// status and top: the state of a running gateway, once and as a table that is refreshed.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace patchbay::app {

int show_status(const ClientOptions& options);

// The gateways that act as one with a running one.
int show_cluster(const ClientOptions& options);

struct TopOptions {
  std::string sort = "rate";
  std::string interval = "2s";
  int count = 0;       // Tables to print; 0: until it is interrupted.
  bool tools = false;  // One row for each tool, instead of each upstream.
};

int show_top(const ClientOptions& options, const TopOptions& top);

// What `top` can sort by.
std::vector<std::string> top_columns();

}  // namespace patchbay::app
