#include "skills/mock_search.h"

#include <fmt/format.h>

#include "gateway/call/arguments.h"
#include "skills/search_goal.h"

namespace patchbay {
namespace {

Result<std::string> run(std::string_view arguments) {
  const auto query = sole_text_argument(arguments, "query", kMaxQueryBytes);
  if (!query) return query.error();
  return fmt::format(
      "Mock search results for '{}':\n"
      "1) Example result A - short description\n"
      "2) Example result B - short description\n"
      "3) Example result C - short description",
      *query);
}

}  // namespace

constinit const Skill kMockSearchSkill{
    .name = "mock_search",
    .title = "Search (mock)",
    .description =
        "Returns made-up results for any query, for trying things out. Nothing is "
        "searched.",
    .input_schema = R"({"type":"object","properties":{)"
                    R"("query":{"type":"string","maxLength":1024,"description":"Any text."}},)"
                    R"("required":["query"],"additionalProperties":false})",
    .run = run,
    .goal_name = "MockSearchSkill",
    .keywords = kSearchKeywords,
    .can_handle = is_search,
    .execute = search_for,
    .invented = true,
};

}  // namespace patchbay
