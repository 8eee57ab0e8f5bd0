// Dates, times and durations of RFC 3339.
#include "json/schema/formats.h"

#include "json/ascii.h"

namespace patchbay::json::format {
namespace {

// Consumes a number of exactly that many digits; -1 if there is none.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

int days_in(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool take_date(std::string_view& text) {
  const int year = take_number(text, 4);
  if (year < 0 || !take(text, '-')) return false;
  const int month = take_number(text, 2);
  if (month < 1 || month > 12 || !take(text, '-')) return false;
  const int day = take_number(text, 2);
  return day >= 1 && day <= days_in(year, month);
}

// The offset from UTC in minutes; false if there is none.
bool take_offset(std::string_view& text, int& minutes) {
  minutes = 0;
  if (take(text, 'Z') || take(text, 'z')) return true;
  const bool behind = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return false;
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59) return false;
  minutes = (hour * 60 + minute) * (behind ? -1 : 1);
  return true;
}

// Consumes pairs of a number and a unit. Units are in order and without gaps. False if there is
// none.
bool take_units(std::string_view& text, std::string_view units) {
  bool any = false;
  while (!text.empty() && is_digit(text.front())) {
    const auto unit = text.find_first_not_of("0123456789");
    if (unit == std::string_view::npos) return false;
    const auto which = units.find(text[unit]);
    if (which == std::string_view::npos || (any && which != 0)) return false;
    units.remove_prefix(which + 1);
    text.remove_prefix(unit + 1);
    any = true;
  }
  return any;
}

}  // namespace

bool date(std::string_view text) { return take_date(text) && text.empty(); }

bool time(std::string_view text) {
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return false;
  const int second = take_number(text, 2);
  if (second < 0 || second > 60) return false;
  if (take(text, '.')) {
    if (text.empty() || !is_digit(text.front())) return false;
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  }
  int offset = 0;
  if (!take_offset(text, offset) || !text.empty()) return false;
  // A leap second is the last second of a day in UTC.
  constexpr int kDay = 24 * 60;
  return second < 60 || (hour * 60 + minute - offset + kDay) % kDay == kDay - 1;
}

bool date_time(std::string_view text) {
  return take_date(text) && (take(text, 'T') || take(text, 't')) && time(text);
}

bool duration(std::string_view text) {
  if (!take(text, 'P')) return false;
  const std::string_view whole = text;
  if (take_units(text, "W") && text.empty()) return true;
  text = whole;
  const bool date = take_units(text, "YMD");
  if (text.empty()) return date;
  return take(text, 'T') && take_units(text, "HMS") && text.empty();
}

}  // namespace patchbay::json::format
