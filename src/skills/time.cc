#include "skills/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/text.h"
#include "gateway/call/arguments.h"
#include "skills/goal_keywords.h"
#include "skills/zone.h"

namespace patchbay {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr int kMaxOffsetHours = 23;

bool same_but_for_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char given, char wanted) {
    return (given >= 'A' && given <= 'Z' ? given - 'A' + 'a' : given) == wanted;
  });
}

std::optional<int> digits(std::string_view text, int highest) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.front() == '-' || value > highest) return std::nullopt;
  return value;
}

// The offset in "+02:00", "+0200", "+02" or "+2"; empty if `text` has another form.
std::optional<minutes> parse_offset(std::string_view text) {
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const bool west = text.front() == '-';
  text.remove_prefix(1);

  auto hour_digits = text;
  std::string_view minute_digits = "00";
  if (text.size() == 5 && text[2] == ':') {
    hour_digits = text.substr(0, 2);
    minute_digits = text.substr(3);
  } else if (text.size() == 4) {
    hour_digits = text.substr(0, 2);
    minute_digits = text.substr(2);
  } else if (text.size() != 1 && text.size() != 2) {
    return std::nullopt;
  }
  const auto whole_hours = digits(hour_digits, kMaxOffsetHours);
  const auto more = digits(minute_digits, 59);
  if (!whole_hours || !more) return std::nullopt;
  const auto offset = hours(*whole_hours) + minutes(*more);
  return west ? -offset : offset;
}

std::string rfc3339(sys_seconds moment, minutes offset) {
  const auto local = moment + offset;
  const auto day = std::chrono::floor<days>(local);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(local - day);
  const std::chrono::hh_mm_ss east(offset);
  const auto text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(date.year()),
                                unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                                clock.minutes().count(), clock.seconds().count());
  if (offset == minutes(0)) return text + 'Z';
  return text + fmt::format("{}{:02}:{:02}", east.is_negative() ? '-' : '+', east.hours().count(),
                            east.minutes().count());
}

Result<std::string> run(std::string_view arguments) {
  auto zone = sole_optional_text_argument(arguments, "zone", kMaxZoneNameBytes);
  if (!zone) return std::move(zone).error();
  const auto now = std::chrono::floor<seconds>(std::chrono::system_clock::now());
  return show_time(now, zone->value_or("UTC"));
}

constexpr auto kKeywords = std::to_array<std::string_view>({"time"});

bool can_handle(std::string_view goal) {
  return mentions(goal, {"what time", "current time", "time is it", "what date", "today's date"});
}

// "time: Europe/Berlin", or "what time is it in Europe/Berlin?"
std::string_view zone_of(const GoalText& goal) {
  if (!goal.keyword.empty()) return goal.text;
  const auto in = goal.whole.rfind(" in ");
  if (in == std::string_view::npos) return "";
  const auto zone = trimmed(goal.whole.substr(in + 4));
  return zone.substr(0, zone.find_last_not_of("?.! ") + 1);
}

Task<std::string> execute(GoalText goal, GoalTools& tools) {
  const auto zone = zone_of(goal);
  auto arguments = zone.empty() ? std::string("{}") : one_argument("zone", zone);
  co_return co_await tools.call(std::move(arguments));
}

}  // namespace

Result<std::string> show_time(sys_seconds moment, std::string_view zone) {
  if (same_but_for_case(zone, "utc") || same_but_for_case(zone, "z")) {
    return rfc3339(moment, minutes(0)) + " UTC";
  }
  if (zone.starts_with('+') || zone.starts_with('-')) {
    const auto offset = parse_offset(zone);
    if (offset) return rfc3339(moment, *offset);
    return Error{Code::invalid_params,
                 fmt::format("'{}' is no offset; write it as +02:00 or -05:30", clip(zone))};
  }
  const bool local = same_but_for_case(zone, "local");
  const auto found = local ? local_zone() : load_zone(zone);
  if (!found) return found.error();
  const auto zone_time = found->at(moment);
  // RFC 3339 has no seconds in an offset; without them the moment is still the right one.
  const auto offset = std::chrono::floor<minutes>(zone_time.offset);
  return fmt::format("{} {} ({})", rfc3339(moment, offset), local ? "local" : zone,
                     zone_time.abbreviation);
}

constinit const Skill kTimeSkill{
    .name = "time",
    .title = "Time",
    .description =
        "Returns the current date and time in RFC 3339 format, in UTC or in the time zone asked "
        "for, with the zone's name and abbreviation.",
    .input_schema =
        R"({"type":"object","properties":{"zone":{"type":"string","default":"UTC","maxLength":64,)"
        R"("description":"UTC, local (the zone of the gateway), an offset such as +02:00, or an )"
        R"(IANA name such as Europe/Berlin."}},"additionalProperties":false})",
    .run = run,
    .goal_name = "TimeSkill",
    .keywords = kKeywords,
    .can_handle = can_handle,
    .execute = execute,
};

}  // namespace patchbay
