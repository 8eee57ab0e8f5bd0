#include "frontends/goal/skill_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/http_token.h"
#include "core/text.h"
#include "json/text.h"

namespace patchbay::frontends {

SkillTable::SkillTable(std::span<const Skill* const> skills, gateway::GoalSettings settings)
    : settings_(std::move(settings)) {
  const auto add = [this](const Skill& skill) {
    const auto& osquery = settings_.osquery;
    const bool there = skill.remote ? settings_.has_osquery : !settings_.builtin.empty();
    if (!there) return;
    const std::string& upstream = skill.remote ? osquery.upstream : settings_.builtin;
    const std::string_view tool = skill.remote ? std::string_view(osquery.tool) : skill.name;
    std::string name = fmt::format("{}.{}", upstream, tool);
    std::string raw = json::quote(name);
    rows_.push_back({&skill, upstream, std::move(name), std::move(raw)});
  };
  for (const auto& name : settings_.skills) {
    const auto skill = std::ranges::find(skills, name, [](const Skill* one) { return one->name; });
    if (skill != skills.end()) add(**skill);
  }
  if (!settings_.skills.empty()) return;
  for (const Skill* const skill : skills) add(*skill);
}

// A server that is down keeps its skill, so that callers get the reason.
bool SkillTable::is_there(const Row& row, const gateway::Catalog& catalog) const {
  if (catalog.find(mcp::ItemKind::tool, row.tool)) return true;
  if (!row.skill->remote || !catalog.access()) return row.skill->remote;
  const auto tool = std::string_view(row.tool).substr(row.upstream.size() + 1);
  return catalog.access()->tool(row.upstream, tool).there;
}

const SkillTable::Row* SkillTable::by_keyword(std::string_view keyword,
                                              const gateway::Catalog& catalog) const {
  const auto meant = [&keyword](std::string_view known) { return same_token(keyword, known); };
  for (const auto& row : rows_) {
    if (std::ranges::any_of(row.skill->keywords, meant) && is_there(row, catalog)) return &row;
  }
  return nullptr;
}

const SkillTable::Row* SkillTable::by_text(std::string_view goal,
                                           const gateway::Catalog& catalog) const {
  const std::string lower = ascii_lower(goal);
  for (const auto& row : rows_) {
    if (row.skill->can_handle(lower) && is_there(row, catalog)) return &row;
  }
  return nullptr;
}

}  // namespace patchbay::frontends
