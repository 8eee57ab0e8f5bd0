// A Decimal is the exact value of a JSON number, however long or precise. Nothing is rounded or
// allocated: it reads the digits in the text. Values only; the text outlives it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::json {

class Decimal {
 public:
  // The most significant digits of a divisor.
  static constexpr std::size_t kMaxDivisor = 37;

  // REQUIRES: `raw` is a number that a Cursor has validated.
  explicit Decimal(std::string_view raw);

  bool is_zero() const { return digits() == 0; }
  bool is_negative() const { return negative_; }
  bool is_whole() const { return is_zero() || static_cast<std::int64_t>(digits()) <= point_; }
  std::size_t digits() const { return whole_.size() + fraction_.size(); }  // The significant ones.

  // True if this is a multiple of `divisor`. REQUIRES: divisor is above zero and has at most
  // kMaxDivisor digits.
  bool is_multiple_of(const Decimal& divisor) const;

  // The value if it is an integer that fits, for counts.
  std::optional<std::uint64_t> count() const;

  // The canonical form: 1.0 is 1, and very large or small values have an exponent.
  std::string text() const;

  // Equal for equal values, however they are written.
  std::uint64_t hash() const;

  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }

 private:
  int digit(std::size_t i) const {
    return (i < whole_.size() ? whole_[i] : fraction_[i - whole_.size()]) - '0';
  }
  static std::strong_ordering magnitude(const Decimal& a, const Decimal& b);

  // The value is 0.d1d2d3… times ten to the power of point_; d1 and the last digit are not zero.
  std::string_view whole_;
  std::string_view fraction_;
  std::int64_t point_ = 0;
  bool negative_ = false;
};

}  // namespace patchbay::json
