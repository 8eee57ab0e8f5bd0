#include "skills/echo.h"

#include <array>
#include <limits>

#include "gateway/call/arguments.h"
#include "skills/goal_keywords.h"

namespace patchbay {
namespace {

// The request that carried the text has been bounded already; a copy of it costs no more.
constexpr std::size_t kNoFurtherLimit = std::numeric_limits<std::size_t>::max();

Result<std::string> run(std::string_view arguments) {
  return sole_text_argument(arguments, "text", kNoFurtherLimit);
}

constexpr auto kKeywords = std::to_array<std::string_view>({"echo"});

// Only goals that name it: any other text could be meant for it.
bool can_handle(std::string_view) { return false; }

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  co_return co_await tools.call(one_argument("text", goal.text));
}

}  // namespace

constinit const Skill kEchoSkill{
    .name = "echo",
    .title = "Echo",
    .description = "Returns the text it is given, unchanged.",
    .input_schema = R"({"type":"object","properties":{)"
                    R"("text":{"type":"string","description":"The text to return."}},)"
                    R"("required":["text"],"additionalProperties":false})",
    .run = run,
    .goal_name = "EchoSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
};

}  // namespace patchbay
