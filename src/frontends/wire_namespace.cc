#include "frontends/wire_namespace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/items.h"

namespace patchbay::frontends {
namespace {

constexpr std::array<std::string_view, 3> kEverything{"system", "default", "tools"};

}  // namespace

Result<std::string> upstream_of(std::string_view target_namespace,
                                const gateway::Catalog& catalog) {
  if (target_namespace.empty()) return std::string();
  if (std::ranges::find(kEverything, target_namespace) != kEverything.end()) return std::string();
  if (catalog.find_upstream(target_namespace)) return std::string(target_namespace);
  return Error{Code::not_found,
               fmt::format("unknown namespace '{}': leave target_namespace out, or say `system` or "
                           "the name of an upstream",
                           target_namespace)};
}

std::string call_within(std::string_view upstream, const mcp::Message& call,
                        const gateway::Catalog& catalog) {
  const auto* const given = call.param("name");
  const auto name = given ? json::as_string(given->raw) : std::nullopt;
  if (!name) return "";
  const auto* const named = catalog.find(mcp::ItemKind::tool, *name);
  if (named && named->upstream->name() == upstream) return "";
  const std::string own = fmt::format("{}.{}", upstream, *name);
  return mcp::request(call.id, call.method,
                      json::with_member(call.raw_params, "name", json::quote(own)));
}

std::string listed_within(std::string_view upstream, std::string_view method,
                          std::string_view result, const gateway::Catalog& catalog) {
  const auto* const kind = std::ranges::find(mcp::kItems, method, &mcp::ItemInfo::list);
  const auto items = kind == mcp::kItems.end() ? std::nullopt : json::member(result, kind->member);
  if (!items) return "";
  std::string kept = "[";
  json::each_element(*items, [&](std::string_view item) {
    const auto name = json::string_member(item, kind->key);
    const auto which = static_cast<mcp::ItemKind>(kind - mcp::kItems.begin());
    const auto* const entry = name ? catalog.find(which, *name) : nullptr;
    if (!entry || entry->upstream->name() != upstream) return;
    if (kept.size() > 1) kept += ',';
    kept += item;
  });
  kept += ']';
  return json::with_member(result, kind->member, kept);
}

}  // namespace patchbay::frontends
