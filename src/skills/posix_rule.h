// A PosixRule defines when a time zone changes its clocks every year: "CET-1CEST,M3.5.0,M10.5.0/3".
// TZif files end with one for the times after their table.
//
// Values only; usable from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

// The local time type of a zone at some moment.
struct ZoneTime {
  std::chrono::seconds offset{0};  // East of UTC.
  std::string abbreviation;
};

class PosixRule {
 public:
  // Empty if `text` is no such rule. Accepts the hours from -167 to 167 of TZif version 3 too.
  static std::optional<PosixRule> parse(std::string_view text);

  ZoneTime at(std::chrono::sys_seconds moment) const;

 private:
  friend class PosixRuleReader;

  // A moment that occurs once a year, on the clock that is valid until then.
  struct Change {
    enum class Form : std::uint8_t { nth_weekday, day_without_leap, day_of_year };
    Form form = Form::nth_weekday;
    unsigned month = 0;
    unsigned week = 0;  // 1 to 5; 5 is the last one.
    unsigned day = 0;   // Of the week from Sunday as 0, or of the year.
    std::chrono::seconds time{0};

    std::chrono::sys_seconds in(std::chrono::year year) const;
  };

  ZoneTime standard_;
  std::optional<ZoneTime> daylight_;  // With it, both changes are set.
  Change daylight_begins_;
  Change daylight_ends_;
};

}  // namespace patchbay
