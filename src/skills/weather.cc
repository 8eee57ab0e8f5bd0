#include "skills/weather.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"
#include "gateway/call/arguments.h"
#include "skills/goal_keywords.h"

namespace patchbay {
namespace {

constexpr std::size_t kMaxLocationBytes = 256;

Result<std::string> run(std::string_view arguments) {
  auto location = sole_optional_text_argument(arguments, "place", kMaxLocationBytes);
  if (!location) return std::move(location).error();
  const std::string where = location->value_or("here");
  return fmt::format("Mock weather for '{}': 21 °C, partly cloudy, light wind", where);
}

constexpr auto kKeywords = std::to_array<std::string_view>({"weather", "forecast", "temperature"});

bool can_handle(std::string_view goal) { return mentions(goal, kKeywords); }

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  auto location = subject_of(goal, kKeywords);
  if (goal.keyword.empty()) location = without_lead(location, {"in", "for", "at"});
  location = location.substr(0, location.find_last_not_of("?.! ") + 1);
  auto arguments = location.empty() ? std::string("{}") : one_argument("place", location);
  co_return co_await tools.call(std::move(arguments));
}

}  // namespace

constinit const Skill kWeatherSkill{
    .name = "weather",
    .title = "Weather (mock)",
    .description = "Returns made-up weather for a place, for trying things out. Not real data.",
    .input_schema = R"({"type":"object","properties":{)"
                    R"("place":{"type":"string","maxLength":256,"description":"Where."}},)"
                    R"("additionalProperties":false})",
    .run = run,
    .goal_name = "WeatherSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
    .invented = true,
};

}  // namespace patchbay
