#include "skills/math_functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace patchbay::math {
namespace {

using Numbers = std::span<const double>;
using Outcome = Result<double>;

constexpr std::size_t kAnyCount = std::numeric_limits<std::size_t>::max();
constexpr double kLargestFactorial = 170;  // 171! exceeds a double.
constexpr double kNotReal = std::numeric_limits<double>::quiet_NaN();

Error fault(std::string message) { return Error{Code::invalid_params, std::move(message)}; }

// std::log answers -infinity at 0, which would read as "too large".
double logarithm(double number, double (*log)(double)) {
  return number > 0 ? log(number) : kNotReal;
}

double logarithm(double number, double base) {
  if (base == 10) return logarithm(number, std::log10);
  if (base == 2) return logarithm(number, std::log2);
  if (base <= 0 || base == 1) return kNotReal;
  const double quotient = logarithm(number, std::log) / std::log(base);
  // The quotient of two rounded logarithms misses whole answers by a hair: log(125, 5) is 3.
  const double nearest = std::round(quotient);
  return std::pow(base, nearest) == number ? nearest : quotient;
}

double sign(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

constexpr std::array kFunctions{
    Function{"sqrt", 1, 1, [](Numbers x) -> Outcome { return std::sqrt(x[0]); }},
    Function{"cbrt", 1, 1, [](Numbers x) -> Outcome { return std::cbrt(x[0]); }},
    Function{"abs", 1, 1, [](Numbers x) -> Outcome { return std::abs(x[0]); }},
    Function{"floor", 1, 1, [](Numbers x) -> Outcome { return std::floor(x[0]); }},
    Function{"ceil", 1, 1, [](Numbers x) -> Outcome { return std::ceil(x[0]); }},
    Function{"round", 1, 1, [](Numbers x) -> Outcome { return std::round(x[0]); }},
    Function{"trunc", 1, 1, [](Numbers x) -> Outcome { return std::trunc(x[0]); }},
    Function{"sign", 1, 1, [](Numbers x) -> Outcome { return sign(x[0]); }},
    Function{"exp", 1, 1, [](Numbers x) -> Outcome { return std::exp(x[0]); }},
    Function{"ln", 1, 1, [](Numbers x) -> Outcome { return logarithm(x[0], std::log); }},
    Function{"log", 1, 2,
             [](Numbers x) -> Outcome { return logarithm(x[0], x.size() == 2 ? x[1] : 10.0); }},
    Function{"log10", 1, 1, [](Numbers x) -> Outcome { return logarithm(x[0], std::log10); }},
    Function{"log2", 1, 1, [](Numbers x) -> Outcome { return logarithm(x[0], std::log2); }},
    Function{"sin", 1, 1, [](Numbers x) -> Outcome { return std::sin(x[0]); }},
    Function{"cos", 1, 1, [](Numbers x) -> Outcome { return std::cos(x[0]); }},
    Function{"tan", 1, 1, [](Numbers x) -> Outcome { return std::tan(x[0]); }},
    Function{"asin", 1, 1, [](Numbers x) -> Outcome { return std::asin(x[0]); }},
    Function{"acos", 1, 1, [](Numbers x) -> Outcome { return std::acos(x[0]); }},
    Function{"atan", 1, 1, [](Numbers x) -> Outcome { return std::atan(x[0]); }},
    Function{"atan2", 2, 2, [](Numbers x) -> Outcome { return std::atan2(x[0], x[1]); }},
    Function{"sinh", 1, 1, [](Numbers x) -> Outcome { return std::sinh(x[0]); }},
    Function{"cosh", 1, 1, [](Numbers x) -> Outcome { return std::cosh(x[0]); }},
    Function{"tanh", 1, 1, [](Numbers x) -> Outcome { return std::tanh(x[0]); }},
    Function{"min", 1, kAnyCount, [](Numbers x) -> Outcome { return std::ranges::min(x); }},
    Function{"max", 1, kAnyCount, [](Numbers x) -> Outcome { return std::ranges::max(x); }},
    Function{"pow", 2, 2, [](Numbers x) -> Outcome { return power(x[0], x[1]); }},
    Function{"mod", 2, 2, [](Numbers x) -> Outcome { return modulo(x[0], x[1]); }},
    Function{"hypot", 2, 2, [](Numbers x) -> Outcome { return std::hypot(x[0], x[1]); }},
    Function{"factorial", 1, 1, [](Numbers x) -> Outcome { return factorial(x[0]); }},
};

struct Constant {
  std::string_view name;
  double value;
};

constexpr std::array kConstants{
    Constant{"pi", std::numbers::pi},
    Constant{"e", std::numbers::e},
    Constant{"tau", 2 * std::numbers::pi},
};

template <class Table>
std::string names(const Table& table) {
  std::vector<std::string_view> all;
  for (const auto& row : table) all.push_back(row.name);
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

const Function* find_function(std::string_view name) {
  const auto* found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : found;
}

std::string function_names() { return names(kFunctions); }

std::optional<double> find_constant(std::string_view name) {
  const auto* found = std::ranges::find(kConstants, name, &Constant::name);
  if (found == kConstants.end()) return std::nullopt;
  return found->value;
}

std::string constant_names() { return names(kConstants); }

Result<double> finite(double value) {
  if (std::isnan(value)) return fault("not a real number");
  if (std::isinf(value)) return fault("the result is too large");
  return value;
}

Result<double> divide(double dividend, double divisor) {
  if (divisor == 0) return fault("division by zero");
  return finite(dividend / divisor);
}

Result<double> modulo(double dividend, double divisor) {
  if (divisor == 0) return fault("division by zero");
  const double rest = std::fmod(dividend, divisor);
  const bool wrong_side = rest != 0 && (rest < 0) != (divisor < 0);
  return finite(wrong_side ? rest + divisor : rest);
}

Result<double> power(double base, double exponent) {
  if (base == 0 && exponent < 0) return fault("division by zero");
  return finite(std::pow(base, exponent));
}

Result<double> factorial(double number) {
  if (number < 0 || std::trunc(number) != number) {
    return fault("a factorial needs a whole number that is not negative");
  }
  if (number > kLargestFactorial) return fault("the result is too large");
  long double product = 1;  // Wider than the result, so that intermediate rounding does not show.
  for (int factor = 2; factor <= static_cast<int>(number); ++factor) product *= factor;
  return static_cast<double>(product);
}

}  // namespace patchbay::math
