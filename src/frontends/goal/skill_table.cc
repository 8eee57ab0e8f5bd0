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
    pages_.push_back({&skill, upstream, std::move(name), std::move(raw)});
  };
  for (const auto& name : settings_.skills) {
    const auto skill = std::ranges::find(skills, name, [](const Skill* one) { return one->name; });
    if (skill != skills.end()) add(**skill);
  }
  if (!settings_.skills.empty()) return;
  for (const Skill* const skill : skills) add(*skill);
}

// A server that is down keeps its skill: whoever needs it hears why it does not answer.
bool SkillTable::is_there(const Page& page, const gateway::Catalog& catalog) const {
  if (catalog.find(mcp::ItemKind::tool, page.tool)) return true;
  if (!page.skill->remote || !catalog.access()) return page.skill->remote;
  const auto tool = std::string_view(page.tool).substr(page.upstream.size() + 1);
  return catalog.access()->tool(page.upstream, tool).there;
}

const SkillTable::Page* SkillTable::by_word(std::string_view word,
                                            const gateway::Catalog& catalog) const {
  const auto meant = [&word](std::string_view known) { return same_token(word, known); };
  for (const auto& page : pages_) {
    if (std::ranges::any_of(page.skill->keywords, meant) && is_there(page, catalog)) return &page;
  }
  return nullptr;
}

const SkillTable::Page* SkillTable::by_asking(std::string_view goal,
                                              const gateway::Catalog& catalog) const {
  const std::string lower = ascii_lower(goal);
  for (const auto& page : pages_) {
    if (page.skill->can_handle(lower) && is_there(page, catalog)) return &page;
  }
  return nullptr;
}

}  // namespace patchbay::frontends
