#include "skills/search_goal.h"

#include "skills/goal_words.h"

namespace patchbay {

bool is_search(std::string_view goal) { return mentions(goal, kSearchWords); }

Task<std::string> search_for(GoalText goal, GoalTools& tools) {
  auto query = subject_of(goal, kSearchWords);
  if (goal.word.empty()) query = without_lead(query, {"for", "about"});
  if (query.empty()) co_return Error{Code::invalid_params, "No query to search for"};
  co_return co_await tools.call(one_argument("query", query));
}

}  // namespace patchbay
