// Fuzzes the grammar of goals: steps are pieces of the goal in order, and substitutions stay within
// their bound. The keywords of skills are parsed as well.
#include "frontends/goal/steps.h"
#include "fuzz/require.h"
#include "skills/arithmetic.h"
#include "skills/calculator.h"
#include "skills/osquery.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const std::string goal(fuzz::text_of(data, size));
  const auto steps = frontends::split_goal(
      goal, [](std::string_view name) { return name == "echo" || name == "a.b"; });
  fuzz::require(!steps.empty());
  const char* at = goal.data();
  for (const auto step : steps) {
    fuzz::require(step.data() >= at && step.data() + step.size() <= goal.data() + goal.size());
    at = step.data() + step.size();
    const auto filled = frontends::fill_in(step, goal, frontends::FillIn::json, 1000);
    fuzz::require(!filled || filled->size() <= 1000);
  }
  const auto found = find_arithmetic(goal);
  fuzz::require(found.empty() || goal.contains(found));
  const auto sql = osquery_sql(goal, gateway::OsqueryGoalSettings());
  fuzz::require(sql || !sql.error().message.empty());
  return 0;
}
