// An Identity is what an MCP server says of itself: its name, and what it offers.
//
// Values only.
#pragma once

#include <optional>
#include <string>

#include "core/version.h"
#include "mcp/revision.h"

namespace patchbay::gateway {

struct Identity {
  std::string name = "patchbay";
  std::string title = "Patchbay";  // May be empty.
  std::string version = std::string(kVersion);
  std::string capabilities;  // Raw JSON. Empty: all that a gateway has.
  // Nothing but tools, and always the same: methods about anything else are unknown, and nothing is
  // told to change.
  bool only_fixed_tools = false;
  // What a client gets that opens a session without naming a revision; empty: an error.
  std::optional<mcp::Revision> if_unnamed = {};
};

}  // namespace patchbay::gateway
