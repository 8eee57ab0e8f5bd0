#include "skills/goal_settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::OsqueryGoalSettings>() {
  static const Fields kFields = fields_of<gateway::OsqueryGoalSettings>({
      {"upstream", &gateway::OsqueryGoalSettings::upstream,
       "Upstream that answers questions about this machine."},
      {"tool", &gateway::OsqueryGoalSettings::tool, "Tool of that upstream that takes SQL."},
      {"raw_sql", &gateway::OsqueryGoalSettings::raw_sql,
       "SQL in goals: validated allows one read-only statement, off allows known questions "
       "only, any passes on whatever is not a known question."},
      {"denied_tables", &gateway::OsqueryGoalSettings::denied_tables,
       "Tables that goals may not name, unless raw_sql is any. Such a goal is refused before "
       "anything is sent to the upstream."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<gateway::GoalSettings>() {
  static const Fields kFields = fields_of<gateway::GoalSettings>({
      {"max_length", &gateway::GoalSettings::length, "Maximum length of a goal, in characters.",
       Range{1, 1'000'000}, Alias{"length"}},
      {"max_steps", &gateway::GoalSettings::steps, "Maximum number of steps in a goal.",
       Range{1, 1000}, Alias{"steps"}},
      {"max_step_size", &gateway::GoalSettings::step,
       "Maximum size of a step after {previous} is filled in.", Range{Bytes{1024}, Bytes{16 << 20}},
       Alias{"step"}},
      {"skills", &gateway::GoalSettings::skills,
       "Skills that goals may use, in the order in which they are tried. Absent: all skills."},
      {"sentences", &gateway::GoalSettings::sentences,
       "Number of sentences in a summary, unless the goal asks for another number.", Range{1, 20}},
      {"osquery", &gateway::GoalSettings::osquery, "Questions about this machine."},
  });
  return kFields;
}

}  // namespace patchbay
