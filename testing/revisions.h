// The revisions of MCP by their order, for tests that compare many.
#pragma once

#include "mcp/revision.h"

namespace patchbay::mcp {

inline constexpr Revision A = Revision::v2024_11_05;
inline constexpr Revision B = Revision::v2025_03_26;
inline constexpr Revision C = Revision::v2025_06_18;
inline constexpr Revision D = Revision::v2025_11_25;
inline constexpr Revision E = Revision::v2026_07_28;

}  // namespace patchbay::mcp
