#include "skills/search_goal.h"

#include "skills/goal_keywords.h"

namespace patchbay {

bool is_search(std::string_view goal) { return mentions(goal, kSearchKeywords); }

Task<std::string> search_for(GoalText goal, GoalTools& tools) {
  auto query = subject_of(goal, kSearchKeywords);
  if (goal.keyword.empty()) query = without_lead(query, {"for", "about"});
  if (query.empty()) co_return Error{Code::invalid_params, "No query to search for"};
  co_return co_await tools.call(one_argument("query", query));
}

}  // namespace patchbay
