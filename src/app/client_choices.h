// What the rest of a client's file says about its servers: which of them are used (Gemini CLI) and
// which of their tools are switched off (opencode). Values only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/node.h"

namespace patchbay::app {

struct ClientChoices {
  const std::string& file;
  const std::map<std::string, std::string>& names;  // What the file calls the servers, by ours.
  config::Faults& faults;
  config::Faults& notes;
};

// Whether this key at the top of a file names servers that are used or not.
bool chooses_servers(std::string_view key);

// Removes the servers of `mcpServers` that are not used.
void choose_servers(config::Node& root, const ClientChoices& choices);

// Adds the tools that are switched off to the servers of `section`.
void deny_tools(config::Node& root, std::string_view section, const ClientChoices& choices);

}  // namespace patchbay::app
