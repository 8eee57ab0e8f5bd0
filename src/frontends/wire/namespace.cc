#include "frontends/wire/namespace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/items.h"
#include "transport/wire/envelope.h"

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
               fmt::format("unknown namespace '{}': leave target_namespace out, or use `system` or "
                           "the name of an upstream",
                           target_namespace)};
}

Result<void> check_there(std::string_view upstream, const gateway::Catalog& catalog) {
  const auto found = upstream.empty() ? nullptr : catalog.find_upstream(upstream);
  if (!found || found->state().up) return ok();
  const auto of_it = [&](const gateway::CatalogEntry& entry) { return entry.upstream == found; };
  for (std::size_t i = 0; i < mcp::kItems.size(); ++i) {
    const auto kind = static_cast<mcp::ItemKind>(i);
    if (std::ranges::any_of(catalog.entries(kind), of_it)) return ok();
  }
  return Error{Code::unavailable, fmt::format("the upstream '{}' is down", upstream)};
}

std::optional<NamedRequest> in_namespace_of_method(const mcp::Message& request,
                                                   std::string_view target_namespace,
                                                   const gateway::Catalog& catalog) {
  const std::string_view name = wire::namespace_of(request.method);
  if (!request.method.starts_with(name) || request.method.size() <= name.size() + 1 ||
      request.method[name.size()] != '.') {
    return std::nullopt;
  }
  if (!target_namespace.empty() && target_namespace != name) return std::nullopt;
  const auto upstream = upstream_of(name, catalog);
  if (!upstream) return std::nullopt;
  const std::string_view method = request.method.substr(name.size() + 1);
  const std::string_view params = request.raw_params.empty() ? "{}" : request.raw_params;
  NamedRequest named{std::string(name), {}};
  if (upstream->empty() || method.find('/') != std::string_view::npos || method == "ping") {
    named.request = mcp::request(request.id, method, params);
  } else {
    named.request =
        mcp::request(request.id, "tools/call",
                     fmt::format(R"({{"name":{},"arguments":{}}})", json::quote(method), params));
  }
  return named;
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
  std::string stored = "[";
  json::each_element(*items, [&](std::string_view item) {
    const auto name = json::string_member(item, kind->key);
    const auto which = static_cast<mcp::ItemKind>(kind - mcp::kItems.begin());
    const auto* const entry = name ? catalog.find(which, *name) : nullptr;
    if (!entry || entry->upstream->name() != upstream) return;
    if (stored.size() > 1) stored += ',';
    stored += item;
  });
  stored += ']';
  return json::with_member(result, kind->member, stored);
}

}  // namespace patchbay::frontends
