#include "skills/weather.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"
#include "gateway/call/arguments.h"
#include "skills/goal_words.h"

namespace patchbay {
namespace {

constexpr std::size_t kMaxPlaceBytes = 256;

Result<std::string> run(std::string_view arguments) {
  auto place = sole_optional_text_argument(arguments, "place", kMaxPlaceBytes);
  if (!place) return std::move(place).error();
  const std::string where = place->value_or("here");
  return fmt::format("Mock weather for '{}': 21 °C, partly cloudy, light wind", where);
}

constexpr auto kWords = std::to_array<std::string_view>({"weather", "forecast", "temperature"});

bool can_handle(std::string_view goal) { return mentions(goal, kWords); }

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  auto place = subject_of(goal, kWords);
  if (goal.word.empty()) place = without_lead(place, {"in", "for", "at"});
  place = place.substr(0, place.find_last_not_of("?.! ") + 1);
  auto arguments = place.empty() ? std::string("{}") : one_argument("place", place);
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
    .words = kWords,
    .can_handle = can_handle,
    .execute = execute,
};

}  // namespace patchbay
