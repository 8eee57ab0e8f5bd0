#include "json/decimal.h"

#include <algorithm>

namespace patchbay::json {
namespace {

constexpr std::int64_t kFarExponent = 1'000'000'000'000;  // Beyond this only the sign matters.

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kFarExponent);
  return negative ? -value : value;
}

std::size_t leading_zeros(std::string_view digits) {
  return std::min(digits.find_first_not_of('0'), digits.size());
}

std::string_view without_trailing_zeros(std::string_view digits) {
  return digits.substr(0, digits.find_last_not_of('0') + 1);
}

}  // namespace

Decimal::Decimal(std::string_view raw) {
  if (raw.starts_with('-')) {
    negative_ = true;
    raw.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  if (const auto mark = raw.find_first_of("eE"); mark != std::string_view::npos) {
    exponent = read_exponent(raw.substr(mark + 1));
    raw = raw.substr(0, mark);
  }
  const auto dot = std::min(raw.find('.'), raw.size());
  whole_ = raw.substr(0, dot);
  whole_.remove_prefix(leading_zeros(whole_));
  if (dot != raw.size()) fraction_ = without_trailing_zeros(raw.substr(dot + 1));
  point_ = exponent + static_cast<std::int64_t>(whole_.size());
  if (whole_.empty()) {
    const std::size_t zeros = leading_zeros(fraction_);
    fraction_.remove_prefix(zeros);
    point_ -= static_cast<std::int64_t>(zeros);
  }
  if (fraction_.empty()) whole_ = without_trailing_zeros(whole_);
  if (is_zero()) {
    point_ = 0;
    negative_ = false;
  }
}

std::strong_ordering Decimal::magnitude(const Decimal& a, const Decimal& b) {
  if (a.is_zero() || b.is_zero()) return !a.is_zero() <=> !b.is_zero();
  if (a.point_ != b.point_) return a.point_ <=> b.point_;
  const std::size_t common = std::min(a.digits(), b.digits());
  for (std::size_t i = 0; i < common; ++i) {
    if (a.digit(i) != b.digit(i)) return a.digit(i) <=> b.digit(i);
  }
  return a.digits() <=> b.digits();
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) return b.negative_ <=> a.negative_;
  return a.negative_ ? Decimal::magnitude(b, a) : Decimal::magnitude(a, b);
}

// Both are a whole number without a trailing zero, times a power of ten. If the power of the
// divisor is greater, ten would have to divide a number without a trailing zero.
bool Decimal::is_multiple_of(const Decimal& divisor) const {
  using Wide = unsigned __int128;
  if (is_zero()) return true;
  const std::int64_t tens = (point_ - static_cast<std::int64_t>(digits())) -
                            (divisor.point_ - static_cast<std::int64_t>(divisor.digits()));
  if (tens < 0) return false;
  Wide by = 0;
  for (std::size_t i = 0; i < divisor.digits(); ++i) {
    by = by * 10 + static_cast<unsigned>(divisor.digit(i));
  }
  Wide rest = 0;
  for (std::size_t i = 0; i < digits(); ++i)
    rest = (rest * 10 + static_cast<unsigned>(digit(i))) % by;
  // The divisor has fewer than 128 factors of two or five; more tens than that change nothing.
  for (std::int64_t i = 0; i < std::min<std::int64_t>(tens, 128); ++i) rest = rest * 10 % by;
  return rest == 0;
}

std::optional<std::uint64_t> Decimal::count() const {
  if (!is_whole() || negative_ || point_ > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (std::int64_t i = 0; i < point_; ++i) {
    const auto position = static_cast<std::size_t>(i);
    value = value * 10 + (position < digits() ? static_cast<std::uint64_t>(digit(position)) : 0);
  }
  return value;
}

std::string Decimal::text() const {
  constexpr std::int64_t kMostPlain = 21;  // Digits before the point...
  constexpr std::int64_t kMostZeros = 5;   // ...and zeros after it.
  if (is_zero()) return "0";
  const std::string all = std::string(whole_) + std::string(fraction_);
  const auto size = static_cast<std::int64_t>(all.size());
  std::string out = negative_ ? "-" : "";
  if (point_ > 0 && point_ <= kMostPlain) {
    if (size <= point_)
      return out + all + std::string(static_cast<std::size_t>(point_ - size), '0');
    const auto dot = static_cast<std::size_t>(point_);
    return out + all.substr(0, dot) + "." + all.substr(dot);
  }
  if (point_ <= 0 && -point_ <= kMostZeros) {
    return out + "0." + std::string(static_cast<std::size_t>(-point_), '0') + all;
  }
  out += all.front();
  if (size > 1) out += "." + all.substr(1);
  out += point_ > 0 ? "e+" : "e";
  return out + std::to_string(point_ - 1);
}

std::uint64_t Decimal::hash() const {
  std::uint64_t value = static_cast<std::uint64_t>(point_) * 2 + (negative_ ? 1 : 0);
  for (std::size_t i = 0; i < digits(); ++i) {
    value = (value ^ static_cast<std::uint64_t>(digit(i) + 1)) * 0x100000001B3;
  }
  return value;
}

}  // namespace patchbay::json
