// The page of the control API about what upstreams offer, as the caller sees it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.h"
#include "frontends/admin/control_api.h"
#include "frontends/admin/page_size.h"
#include "json/invisible.h"
#include "json/write.h"
#include "policy/rules/access.h"

namespace patchbay::frontends {
namespace {

using gateway::Catalog;
using gateway::CatalogEntry;
using mcp::ItemKind;

constexpr std::size_t kBytesPerToken = 4;     // About, of JSON in English.
constexpr std::size_t kMostSearched = 2'048;  // Bytes of a definition: title and description.

struct CatalogFilter {
  std::string kind;
  std::string upstream;
  std::string search;  // In lower case.
  std::uint64_t limit = kDefaultLimit;
  std::size_t from = 0;  // Of all items of all kinds.
};

struct RoleAccess {
  std::string role;
  policy::Access access;
};

std::string_view kind_name(ItemKind kind) {
  return kind == ItemKind::resource_template ? "template" : mcp::info(kind).noun;
}

std::string take_parameter(QueryParameters& query, std::string_view name) {
  auto node = query.extract(std::string(name));
  return node ? std::move(node.mapped()) : std::string();
}

Result<void> check_kind(const std::string& kind) {
  constexpr std::array<std::string_view, 5> kKinds{"", "tool", "prompt", "resource", "template"};
  if (std::ranges::find(kKinds, kind) != kKinds.end()) return ok();
  return Error{Code::invalid_params, "kind: tool, prompt, resource or template"};
}

// `number-index`: a cursor of another catalog is refused, since items may have moved.
Result<std::size_t> index_of(const std::string& cursor, const Catalog& catalog) {
  if (cursor.empty()) return std::size_t{0};
  const std::string front = fmt::format("{}-", catalog.number());
  std::size_t index = 0;
  const char* const end = cursor.data() + cursor.size();
  if (cursor.starts_with(front)) {
    const auto [at, fault] = std::from_chars(cursor.data() + front.size(), end, index);
    if (fault == std::errc() && at == end) return index;
  }
  return Error{Code::invalid_params, "cursor: the catalog has changed; begin again without it"};
}

Result<CatalogFilter> take_catalog_filter(QueryParameters& query, const Catalog& catalog) {
  CatalogFilter filter;
  filter.kind = take_parameter(query, "kind");
  filter.upstream = take_parameter(query, "upstream");
  filter.search = ascii_lower(take_parameter(query, "search"));
  auto limit = take_limit(query);
  if (!limit) return limit.error();
  filter.limit = *limit;
  auto from = index_of(take_parameter(query, "cursor"), catalog);
  if (!from) return from.error();
  filter.from = *from;
  auto kind = check_kind(filter.kind);
  if (!kind) return kind.error();
  auto taken = check_taken(query, "kind, upstream, search, limit, cursor");
  if (!taken) return taken.error();
  return filter;
}

bool fits(const CatalogFilter& filter, ItemKind kind, const CatalogEntry& entry,
          std::string_view definition) {
  if (!filter.kind.empty() && filter.kind != kind_name(kind)) return false;
  if (!filter.upstream.empty() && filter.upstream != entry.upstream->name()) return false;
  return filter.search.empty() ||
         ascii_lower(definition.substr(0, kMostSearched)).find(filter.search) != std::string::npos;
}

// How the rules let a role use a tool.
std::string_view use_of(const policy::ToolAccess& access) {
  if (!access.conditions) return "allowed";
  const auto& any = access.conditions->any;
  const auto free = [](const auto& one) { return !one.rule || one.rule->when.empty(); };
  if (std::ranges::any_of(any, [&](const auto& one) { return !one.approve && free(one); })) {
    return "allowed";
  }
  return std::ranges::all_of(any, [](const auto& one) { return one.approve; }) ? "approval"
                                                                               : "conditions";
}

// The roles of the rules, and what each alone lets a caller see.
std::vector<RoleAccess> accesses(std::shared_ptr<const policy::Rules> rules) {
  std::vector<RoleAccess> all;
  if (!rules) return all;
  for (auto& role : rules->roles()) {
    all.push_back({role, policy::Access(rules, rules->about_role(role))});
  }
  return all;
}

std::string roles_json(const std::vector<RoleAccess>& roles, ItemKind kind,
                       const CatalogEntry& entry) {
  const std::string_view upstream = entry.upstream->name();
  std::string list;
  for (const auto& [role, access] : roles) {
    std::string_view use;
    if (kind == ItemKind::tool) {
      // By the name that calls have, which is the new one of a renamed tool.
      const auto name = std::string_view(entry.dotted).substr(upstream.size() + 1);
      const auto tool = access.tool(upstream, name);
      if (tool.there) use = use_of(tool);
    } else if (kind == ItemKind::prompt     ? access.has_prompt(upstream, entry.key)
               : kind == ItemKind::resource ? access.has_resource(upstream, entry.key)
                                            : access.has_template(upstream, entry.key)) {
      use = "allowed";
    }
    if (use.empty()) continue;
    if (!list.empty()) list += ',';
    list += fmt::format(R"({{"role":{},"use":"{}"}})", json::quote(role), use);
  }
  return "[" + list + "]";
}

std::string item_json(ItemKind kind, const CatalogEntry& entry, const std::string& definition,
                      const std::optional<std::vector<RoleAccess>>& roles) {
  std::string text;
  json::Object object(text);
  object.raw("kind", json::quote(kind_name(kind)));
  object.raw("name", json::quote(entry.listed));
  object.raw("upstream", json::quote(entry.upstream->name()));
  object.raw("upstream_name", json::quote(entry.key));
  object.raw("listed", entry.offered ? "true" : "false");
  if (entry.off) object.raw("off", json::quote(*entry.off));
  object.raw("bytes", std::to_string(definition.size()));
  object.raw("tokens_about",
             std::to_string((definition.size() + kBytesPerToken - 1) / kBytesPerToken));
  if (kind == ItemKind::tool && entry.conditions) {
    object.raw("may_need_approval", entry.conditions->may_need_approval ? "true" : "false");
  }
  if (roles) object.raw("roles", roles_json(*roles, kind, entry));
  object.raw("definition", definition);
  object.end();
  return text;
}

}  // namespace

Result<std::string> ControlApi::catalog(Asked& asked) {
  const Catalog& catalog = *asked.catalog;
  auto filter = take_catalog_filter(asked.query, catalog);
  if (!filter) return filter.error();
  std::optional<std::vector<RoleAccess>> roles;
  if (asked.sees_all && catalog_.rules()) roles = accesses(catalog_.shared_rules());
  std::string list;
  std::string next;
  std::uint64_t count = 0;
  std::size_t index = 0;
  for (std::size_t number = 0; number < mcp::kItems.size() && next.empty(); ++number) {
    const auto kind = static_cast<ItemKind>(number);
    const auto& entries = catalog.entries(kind);
    for (std::size_t i = 0; i < entries.size() && next.empty(); ++i, ++index) {
      const std::string& definition = catalog.items(kind)[i];
      if (entries[i].off && !asked.sees_all) continue;
      if (index < filter->from || !fits(*filter, kind, entries[i], definition)) continue;
      if (count++ == filter->limit) {
        next = fmt::format(",\"next\":\"{}-{}\"", catalog.number(), index);
        continue;
      }
      list += (list.empty() ? "" : ",") + item_json(kind, entries[i], definition, roles);
    }
  }
  json::escape_invisible(list);
  return fmt::format(R"({{"items":[{}],"tools":{},"prompts":{},"resources":{},"templates":{}{}}})",
                     list, catalog.size(ItemKind::tool), catalog.size(ItemKind::prompt),
                     catalog.size(ItemKind::resource), catalog.size(ItemKind::resource_template),
                     next);
}

}  // namespace patchbay::frontends
