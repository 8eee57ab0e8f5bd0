// The revisions of MCP and their differences. Facts only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace patchbay::mcp {

enum class Revision : std::uint8_t {
  v2024_11_05,
  v2025_03_26,
  v2025_06_18,
  v2025_11_25,
  v2026_07_28
};

struct RevisionInfo {
  std::string_view name;
  bool stateless;  // Every request carries its own envelope; there is no session.
  bool batches;    // Arrays of messages are allowed.
};

// Same order as the enum: oldest first.
inline constexpr std::array kRevisions{
    RevisionInfo{"2024-11-05", false, false}, RevisionInfo{"2025-03-26", false, true},
    RevisionInfo{"2025-06-18", false, false}, RevisionInfo{"2025-11-25", false, false},
    RevisionInfo{"2026-07-28", true, false},
};

inline constexpr Revision kNewestSessionBased = Revision::v2025_11_25;
inline constexpr Revision kNewest = Revision::v2026_07_28;
// The revision of a client with a session that names none in its headers.
inline constexpr Revision kUnnamed = Revision::v2025_03_26;

constexpr const RevisionInfo& info(Revision revision) {
  return kRevisions[static_cast<std::size_t>(revision)];
}

constexpr std::optional<Revision> find_revision(std::string_view name) {
  for (std::size_t i = 0; i < kRevisions.size(); ++i) {
    if (kRevisions[i].name == name) return static_cast<Revision>(i);
  }
  return std::nullopt;
}

// The revision to answer `initialize` with: the requested one if it is session-based, else our
// newest session-based one.
constexpr Revision negotiate(std::string_view asked) {
  const auto known = find_revision(asked);
  return known && !info(*known).stateless ? *known : kNewestSessionBased;
}

}  // namespace patchbay::mcp
