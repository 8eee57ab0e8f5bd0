// connect: writes the configuration file of an MCP client, so that it uses the gateway.
//
// The main thread of a command.
#pragma once

#include <string>
#include <vector>

namespace patchbay::app {

struct ConnectOptions {
  std::string client;             // A name of cli/client_files.h.
  std::string name = "patchbay";  // What the client calls the gateway.
  std::string config;             // The gateway's configuration.
  std::string url;                // Empty: PATCHBAY_URL, or the address in the configuration.
  std::string file;               // The client's file; empty: where the client looks for it.
  std::string token_file;         // For the router; empty: none.
  bool stdio = false;             // The client starts a gateway of its own.
  bool auth = false;              // The client sends PATCHBAY_TOKEN.
  bool project = false;           // The file of the project in the current folder.
  bool dry_run = false;
  bool json = false;
};

int connect_client(const ConnectOptions& options);

// The names of all clients, for messages and options.
std::vector<std::string> client_names();

}  // namespace patchbay::app
