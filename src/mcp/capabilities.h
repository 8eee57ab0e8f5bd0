// Capabilities, as each revision declares them: what a client supports, what the gateway offers to
// clients, and what it declares to upstreams on behalf of a client. Pure.
#pragma once

#include <string>
#include <string_view>

#include "mcp/revision.h"

namespace patchbay::mcp {

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";
// The data of the error for a missing capability.
inline constexpr std::string_view kTasksRequired =
    R"({"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}})";

// The declared capabilities of a client that the gateway can forward to an upstream.
struct Abilities {
  bool roots = false;
  bool sampling = false;
  bool sampling_tools = false;
  bool sampling_context = false;  // includeContext may be other than "none".
  bool form = false;              // Elicitation by a form...
  bool url = false;               // ...and by sending the user to a URL.
  bool tasks = false;             // The extension of the stateless revision.

  bool operator==(const Abilities&) const = default;
};

// The intersection. Tasks are ignored: they are negotiated separately.
Abilities common(const Abilities& one, const Abilities& other);

// The same as a number, for keys, and back. Without tasks.
unsigned bits_of(const Abilities& abilities);
// Those that belong to one capability: `roots`, `sampling` or `elicitation`.
unsigned bits_of_capability(std::string_view capability);
Abilities abilities_of_bits(unsigned bits);

// All of them: for an upstream with one session for many clients, where the client of each call is
// checked when the upstream asks.
inline constexpr Abilities kAllAbilities{true, true, true, true, true, true, false};

// `capabilities` is the raw object that a client of that revision declares.
Abilities abilities_of(Revision revision, std::string_view capabilities);

// The client capabilities to declare to an upstream of revision `to`. Raw.
std::string client_capabilities(Revision to, const Abilities& abilities);

// The gateway's own, as a server. `tasks`: whether it offers them to this client. Raw.
std::string server_capabilities(Revision to, bool tasks);

// A clientInfo or serverInfo, raw, as `to` knows it.
std::string implementation_for(Revision to, std::string_view implementation);

}  // namespace patchbay::mcp
