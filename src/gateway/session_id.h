// The ids of sessions. An id is sealed and says everything that is needed to serve the session: a
// later process of the same gateway, or another one with the same keys, can restore it. Nobody else
// can make, read or change one.
//
// Values only; usable from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/principal.h"
#include "crypto/keyring.h"
#include "mcp/capabilities.h"
#include "mcp/revision.h"

namespace patchbay::gateway {

struct SessionId {
  using Time = std::chrono::sys_time<std::chrono::milliseconds>;
  using Digest = std::array<char, 16>;

  std::uint64_t run = 0;  // The process that created the session.
  std::uint16_t worker = 0;
  mcp::Revision revision = mcp::kNewestSessionBased;
  Time created;
  std::array<char, 16> random{};
  Digest owner{};  // Of the id of its caller.
  mcp::Abilities abilities;
  std::string client_info = {};  // See gateway/call/client_info.h.

  bool operator==(const SessionId&) const = default;
};

// With random bits.
SessionId new_session_id();

SessionId::Digest owner_digest(const Principal& caller);

// In base64url, at most 280 characters.
std::string seal(const policy::Keyring& keys, const SessionId& id);

// None: it was not made with these keys, or has been changed.
std::optional<SessionId> open_session_id(const policy::Keyring& keys, std::string_view text);

// One of `count` workers, the same in every process: the owner of a session that another process
// has created.
std::size_t placed_on(const SessionId& id, std::size_t count);

}  // namespace patchbay::gateway
