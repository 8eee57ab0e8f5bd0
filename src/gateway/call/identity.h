// An Identity is what an MCP server states about itself: its name, and what it offers.
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
  std::string capabilities;  // Raw JSON. Empty: everything that a gateway has.
  // Only tools, which never change: methods about anything else are unknown, and no changes are
  // announced.
  bool only_fixed_tools = false;
  // The revision for a client that opens a session without naming one; empty: an error.
  std::optional<mcp::Revision> if_unnamed = {};
};

}  // namespace patchbay::gateway
