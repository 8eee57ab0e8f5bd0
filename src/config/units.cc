#include "config/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace patchbay::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

// Largest first, which is also their order in a text.
constexpr std::array kDurationUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000},
                                    Unit{"s", 1000}, Unit{"ms", 1}};

constexpr std::uint64_t kKibi = 1024;
constexpr std::array kBinaryUnits{Unit{"TiB", kKibi* kKibi* kKibi* kKibi},
                                  Unit{"GiB", kKibi* kKibi* kKibi}, Unit{"MiB", kKibi* kKibi},
                                  Unit{"KiB", kKibi}};
constexpr std::array kDecimalUnits{Unit{"TB", 1'000'000'000'000}, Unit{"GB", 1'000'000'000},
                                   Unit{"MB", 1'000'000}, Unit{"KB", 1000}, Unit{"B", 1}};

// Both kinds of value stay below this, so that they fit a signed number too.
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

// Adds count × size to `total`; false on overflow.
bool accumulate(std::uint64_t& total, std::uint64_t count, std::uint64_t size) {
  if (count > (kMost - total) / size) return false;
  total += count * size;
  return true;
}

// Consumes the digits at the front of `text`.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string_view take_letters(std::string_view& text) {
  const std::size_t end = text.find_first_of("0123456789");
  const std::string_view messages = text.substr(0, end);
  text.remove_prefix(messages.size());
  return messages;
}

Error not_a_duration() {
  return {Code::invalid_params, "expected a duration such as 250ms, 30s, 1m30s, 2h or 7d"};
}

Error not_a_size() {
  return {Code::invalid_params, "expected a size such as 1000, 64KiB, 16MiB or 10MB"};
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration(0);
  if (text.empty()) return not_a_duration();
  std::uint64_t total = 0;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    std::uint64_t count = 0;
    if (!take_number(text, count)) return not_a_duration();
    const std::string_view name = take_letters(text);
    while (next_unit < kDurationUnits.size() && kDurationUnits[next_unit].name != name) ++next_unit;
    if (next_unit == kDurationUnits.size()) return not_a_duration();
    if (!accumulate(total, count, kDurationUnits[next_unit++].size)) return not_a_duration();
  }
  return Duration(static_cast<Duration::rep>(total));
}

Result<Bytes> parse_bytes(std::string_view text) {
  std::uint64_t count = 0;
  if (!take_number(text, count)) return not_a_size();
  if (text.empty()) text = "B";
  for (const auto units :
       {std::span<const Unit>(kBinaryUnits), std::span<const Unit>(kDecimalUnits)}) {
    for (const Unit& unit : units) {
      if (unit.name != text) continue;
      std::uint64_t total = 0;
      if (!accumulate(total, count, unit.size)) return not_a_size();
      return Bytes{total};
    }
  }
  return not_a_size();
}

std::string print(Duration duration) {
  if (duration.count() == 0) return "0";
  std::string out;
  auto rest = static_cast<std::uint64_t>(duration.count());
  for (const Unit& unit : kDurationUnits) {
    if (unit.name == "d") continue;  // A day and a half reads better as 36h.
    if (rest >= unit.size) out += fmt::format("{}{}", rest / unit.size, unit.name);
    rest %= unit.size;
  }
  return out;
}

std::string print(Bytes bytes) {
  if (bytes.value == 0) return "0";
  for (const Unit& unit : kBinaryUnits) {
    if (bytes.value % unit.size == 0)
      return fmt::format("{}{}", bytes.value / unit.size, unit.name);
  }
  for (const Unit& unit : kDecimalUnits) {
    // A bare thousand reads better than 1KB.
    if (unit.size >= 1'000'000 && bytes.value % unit.size == 0) {
      return fmt::format("{}{}", bytes.value / unit.size, unit.name);
    }
  }
  return fmt::format("{}", bytes.value);
}

}  // namespace patchbay::config
