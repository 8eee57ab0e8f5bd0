// A SkillTable chooses the skill for a goal: the one whose keyword comes first in the text, else
// the first one in order that can handle it. Only skills whose tool exists are considered.
//
// Immutable; a changed configuration makes a new table. Read on any worker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/catalog/catalog.h"
#include "skills/skill.h"

namespace patchbay::frontends {

class SkillTable {
 public:
  struct Row {
    const Skill* skill;
    std::string upstream;
    std::string tool;      // `upstream.tool`
    std::string raw_tool;  // The same as a JSON string.
  };

  // `skills` are all skills in the build, in the default order.
  SkillTable(std::span<const Skill* const> skills, gateway::GoalSettings settings);

  const gateway::GoalSettings& settings() const { return settings_; }
  const std::vector<Row>& rows() const { return rows_; }

  // Null if there is none. `word` may be in any case.
  const Row* by_keyword(std::string_view keyword, const gateway::Catalog& catalog) const;
  const Row* by_text(std::string_view goal, const gateway::Catalog& catalog) const;

 private:
  bool is_there(const Row& row, const gateway::Catalog& catalog) const;

  const gateway::GoalSettings settings_;
  std::vector<Row> rows_;
};

}  // namespace patchbay::frontends
