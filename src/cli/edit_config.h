// init, add and remove: commands that write the configuration. A change is checked before the file
// is replaced, and keeps comments and order.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

namespace patchbay::app {

struct InitOptions {
  std::string file = "patchbay.yaml";
  bool json = false;
};

int init_configuration(const InitOptions& options);

struct EditOptions {
  std::string config;
  std::string name;                  // Of the upstream.
  std::vector<std::string> args;     // add: a command with its arguments, or one URL.
  std::vector<std::string> env;      // add: NAME=VALUE, for a command.
  std::vector<std::string> headers;  // add: NAME=VALUE, for a URL.
  bool dry_run = false;
  bool json = false;
};

int add_upstream(const EditOptions& options);
int remove_upstream(const EditOptions& options);

}  // namespace patchbay::app
