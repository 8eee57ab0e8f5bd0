// The timestamps of messages of the wire protocol.
#include "json/ascii.h"
#include "transport/wire/envelope.h"

namespace patchbay::wire {
namespace {

namespace chr = std::chrono;

// The range of a clock with nanoseconds, in whole years.
constexpr int kFirstYear = 1678;
constexpr int kLastYear = 2261;

void put_digits(char* at, int value, int count) {
  for (int i = count - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

// Takes `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (!json::is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<chr::sys_days> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || *year < kFirstYear || *year > kLastYear) return std::nullopt;
  if (!take_char(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const chr::year_month_day date(chr::year(*year), chr::month(static_cast<unsigned>(*month)),
                                 chr::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return chr::sys_days(date);
}

std::optional<chr::seconds> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take_char(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take_char(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return chr::hours(*hour) + chr::minutes(*minute) + chr::seconds(*second);
}

std::optional<chr::nanoseconds> take_fraction(std::string_view& text) {
  if (!take_char(text, ".")) return chr::nanoseconds(0);
  chr::nanoseconds value(0);
  chr::nanoseconds digit_value = chr::milliseconds(100);
  int digits = 0;
  for (; !text.empty() && json::is_digit(text.front()); text.remove_prefix(1), ++digits) {
    value += digit_value * (text.front() - '0');
    digit_value /= 10;
  }
  if (digits < 1 || digits > 9) return std::nullopt;
  return value;
}

std::optional<chr::minutes> take_offset(std::string_view& text) {
  if (take_char(text, "Zz")) return chr::minutes(0);
  const bool west = text.starts_with('-');
  if (!take_char(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take_char(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto offset = chr::hours(*hours) + chr::minutes(*minutes);
  return west ? -offset : offset;
}

}  // namespace

std::string timestamp(WallTime time) {
  const auto ms = chr::floor<chr::milliseconds>(time);
  const auto days = chr::floor<chr::days>(ms);
  const chr::year_month_day date(days);
  const chr::hh_mm_ss clock(ms - days);
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text.data(), static_cast<int>(date.year()), 4);
  put_digits(text.data() + 5, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  put_digits(text.data() + 8, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  put_digits(text.data() + 11, static_cast<int>(clock.hours().count()), 2);
  put_digits(text.data() + 14, static_cast<int>(clock.minutes().count()), 2);
  put_digits(text.data() + 17, static_cast<int>(clock.seconds().count()), 2);
  put_digits(text.data() + 20, static_cast<int>(clock.subseconds().count()), 3);
  return text;
}

std::optional<WallTime> parse_timestamp(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take_char(text, "Tt ")) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return WallTime(*date) + *clock + chr::duration_cast<WallTime::duration>(*fraction) - *offset;
}

}  // namespace patchbay::wire
