#include "skills/posix_rule.h"

#include <charconv>

namespace patchbay {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

constexpr int kMaxOffsetHours = 24;
constexpr int kMaxChangeHours = 167;
constexpr seconds kDefaultChangeTime = hours(2);
constexpr std::size_t kMinAbbreviation = 3;

}  // namespace

// Takes the parts of a rule off the front of its text; each step yields nothing if its part is
// missing.
class PosixRuleReader {
 public:
  explicit PosixRuleReader(std::string_view text) : rest_(text) {}

  std::optional<PosixRule> rule() {
    PosixRule rule;
    const auto name = abbreviation();
    const auto west = time(kMaxOffsetHours);
    if (!name || !west) return std::nullopt;
    rule.standard_ = ZoneTime{-*west, *name};
    if (rest_.empty()) return rule;
    if (!daylight(rule)) return std::nullopt;
    return rule;
  }

 private:
  using Change = PosixRule::Change;

  bool daylight(PosixRule& rule) {
    const auto name = abbreviation();
    if (!name) return false;
    auto offset = rule.standard_.offset + hours(1);
    if (!rest_.starts_with(',')) {
      const auto west = time(kMaxOffsetHours);
      if (!west) return false;
      offset = -*west;
    }
    rule.daylight_ = ZoneTime{offset, *name};
    const auto begins = change();
    const auto ends = change();
    if (!begins || !ends || !rest_.empty()) return false;
    rule.daylight_begins_ = *begins;
    rule.daylight_ends_ = *ends;
    return true;
  }

  // "CET", or "<+03>" where the name is not alphabetic.
  std::optional<std::string> abbreviation() {
    std::size_t end = 0;
    std::string_view name;
    if (rest_.starts_with('<')) {
      end = rest_.find('>');
      if (end == std::string_view::npos) return std::nullopt;
      name = rest_.substr(1, end - 1);
      ++end;
    } else {
      const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      };
      while (end < rest_.size() && is_letter(rest_[end])) ++end;
      name = rest_.substr(0, end);
    }
    if (name.size() < kMinAbbreviation) return std::nullopt;
    rest_.remove_prefix(end);
    return std::string(name);
  }

  // [+|-]hours[:minutes[:seconds]]
  std::optional<seconds> time(int max_hours) {
    const bool negative = take('-');
    if (!negative) take('+');
    const auto whole_hours = number(0, max_hours);
    if (!whole_hours) return std::nullopt;
    seconds sum = hours(*whole_hours);
    if (take(':')) {
      const auto more = number(0, 59);
      if (!more) return std::nullopt;
      sum += minutes(*more);
      if (take(':')) {
        const auto last = number(0, 59);
        if (!last) return std::nullopt;
        sum += seconds(*last);
      }
    }
    return negative ? -sum : sum;
  }

  // ,date[/time]
  std::optional<Change> change() {
    if (!take(',')) return std::nullopt;
    auto change = date();
    if (!change) return std::nullopt;
    change->time = kDefaultChangeTime;
    if (take('/')) {
      const auto at = time(kMaxChangeHours);
      if (!at) return std::nullopt;
      change->time = *at;
    }
    return change;
  }

  // Mmonth.week.weekday, Jday from 1 that never counts 29 February, or day from 0 that does.
  std::optional<Change> date() {
    if (take('M')) {
      const auto month = number(1, 12);
      const auto week = take('.') ? number(1, 5) : std::nullopt;
      const auto weekday = take('.') ? number(0, 6) : std::nullopt;
      if (!month || !week || !weekday) return std::nullopt;
      return Change{Change::Form::nth_weekday, as_unsigned(*month), as_unsigned(*week),
                    as_unsigned(*weekday)};
    }
    const bool without_leap = take('J');
    const auto day = without_leap ? number(1, 365) : number(0, 365);
    if (!day) return std::nullopt;
    const auto form = without_leap ? Change::Form::day_without_leap : Change::Form::day_of_year;
    return Change{form, 0, 0, as_unsigned(*day)};
  }

  static unsigned as_unsigned(int value) { return static_cast<unsigned>(value); }

  bool take(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> number(int lowest, int highest) {
    unsigned value = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (fault != std::errc()) return std::nullopt;
    if (value > as_unsigned(highest) || value < as_unsigned(lowest)) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return static_cast<int>(value);
  }

  std::string_view rest_;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  return PosixRuleReader(text).rule();
}

sys_seconds PosixRule::Change::in(std::chrono::year year) const {
  using namespace std::chrono;
  const sys_days new_year = year / January / 1;
  switch (form) {
    case Form::nth_weekday: {
      const year_month in_month = year / std::chrono::month(month);
      const weekday on(day);
      const sys_days date =
          week == 5 ? sys_days(in_month / on[last]) : sys_days(in_month / on[week]);
      return date + time;
    }
    case Form::day_without_leap: {
      const bool after_leap_day = year.is_leap() && day >= 60;  // Day 60 is 1 March.
      return new_year + days(day - 1 + (after_leap_day ? 1 : 0)) + time;
    }
    case Form::day_of_year:
      break;
  }
  return new_year + days(day) + time;
}

ZoneTime PosixRule::at(sys_seconds moment) const {
  if (!daylight_) return standard_;
  const auto today = std::chrono::floor<days>(moment + standard_.offset);
  const auto this_year = std::chrono::year_month_day(today).year();

  // The last change before the moment decides. It may be in a neighbouring year. Where the end of
  // one summer is the beginning of the next ("EST5EDT,0/0,J365/25"), the beginning wins: it is
  // compared later.
  const ZoneTime* current = &standard_;
  sys_seconds latest = sys_seconds::min();
  const auto consider = [&](sys_seconds change, const ZoneTime& since) {
    if (change > moment || change < latest) return;
    latest = change;
    current = &since;
  };
  for (const auto year :
       {this_year - std::chrono::years(1), this_year, this_year + std::chrono::years(1)}) {
    consider(daylight_ends_.in(year)-daylight_->offset, standard_);
    consider(daylight_begins_.in(year)-standard_.offset, *daylight_);
  }
  return *current;
}

}  // namespace patchbay
