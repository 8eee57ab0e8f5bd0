#include "app/hidden_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace patchbay::app {
namespace {

using frontends::HiddenCursor;
using frontends::HiddenQuery;
using mcp::ItemKind;

bool may_see(const policy::Access& access, ItemKind kind, const gateway::CatalogEntry& entry) {
  const std::string_view upstream = entry.upstream->name();
  switch (kind) {
    case ItemKind::tool:
      // The rules know a renamed tool by its new name.
      return access.tool(upstream, std::string_view(entry.dotted).substr(upstream.size() + 1))
          .there;
    case ItemKind::prompt:
      return access.has_prompt(upstream, entry.key);
    case ItemKind::resource:
      return access.has_resource(upstream, entry.key);
    case ItemKind::resource_template:
      return access.has_template(upstream, entry.key);
  }
  return true;
}

}  // namespace

HiddenPage::HiddenPage(const HiddenQuery& query, std::uint64_t catalog)
    : query_(query), catalog_(catalog) {
  if (!query.rules) return;
  std::vector<std::string> roles{query.role};
  if (query.role.empty()) roles = query.rules->roles();
  for (const auto& role : roles) accesses_.emplace_back(query.rules, query.rules->about_role(role));
}

bool HiddenPage::begin(std::string_view upstream) {
  const std::size_t number = number_++;
  row_ = 0;
  first_row_ = 0;
  upstream_ = upstream;
  if (done() || (!query_.upstream.empty() && query_.upstream != upstream)) return false;
  if (!query_.from) return true;
  if (number == query_.from->upstream) first_row_ = query_.from->row;
  return number >= query_.from->upstream;
}

std::optional<HiddenBecause> HiddenPage::by_rules(ItemKind kind,
                                                  const gateway::CatalogEntry& entry) {
  if (!query_.rules) return std::nullopt;
  for (const auto& access : accesses_) {
    ++steps_;
    if (may_see(access, kind, entry)) return std::nullopt;
  }
  return HiddenBecause{
      frontends::HiddenReason::rules,
      query_.role.empty()
          ? "the rules let no role use it (rules)"
          : fmt::format("the rules do not let the role '{}' alone use it (rules)", query_.role)};
}

void HiddenPage::add(std::size_t at, std::optional<ItemKind> kind, std::string_view name,
                     HiddenBecause hidden) {
  if (query_.reason && query_.reason != hidden.reason) return;
  if (!is_found(name) && !is_found(hidden.why)) return;
  if (found_.items.size() == query_.limit) return stop_at(at);
  found_.items.push_back(
      {kind, upstream_, std::string(name), hidden.reason, std::move(hidden.why)});
}

void HiddenPage::stop_at(std::size_t row) {
  found_.next = HiddenCursor{catalog_, number_ - 1, row};
}

bool HiddenPage::is_found(std::string_view text) const {
  return query_.search.empty() || ascii_lower(text).contains(query_.search);
}

}  // namespace patchbay::app
