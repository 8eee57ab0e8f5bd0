#include "gateway/catalog/schema_check.h"

#include <fmt/format.h>

namespace patchbay::gateway {

UnusableTools find_unusable(const Catalog& catalog, std::chrono::nanoseconds longest) {
  UnusableTools found;
  const auto end = std::chrono::steady_clock::now() + longest;
  for (const auto& entry : catalog.entries(mcp::ItemKind::tool)) {
    if (std::chrono::steady_clock::now() >= end) break;
    const std::string why = entry.schemas->unusable();
    if (why.empty()) continue;
    found[std::string(entry.upstream->name())].push_back(fmt::format("{} ({})", entry.key, why));
  }
  return found;
}

}  // namespace patchbay::gateway
