// The names that the calculator knows (functions and constants) and the operations that are more
// than one machine instruction. A failed one yields the reason; the parser adds the position.
//
// Pure functions; usable from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::math {

struct Function {
  std::string_view name;
  std::size_t fewest;  // Arguments.
  std::size_t most;
  Result<double> (*apply)(std::span<const double> arguments);
};

// Null if there is no such function. Names are in lower case.
const Function* find_function(std::string_view name);
std::string function_names();  // "sqrt, cbrt, …", as an Error lists them.

std::optional<double> find_constant(std::string_view name);
std::string constant_names();

// `value` itself, unless it is no finite number.
Result<double> finite(double value);

Result<double> divide(double dividend, double divisor);
Result<double> modulo(double dividend, double divisor);  // Has the sign of the divisor.
Result<double> power(double base, double exponent);
Result<double> factorial(double number);

}  // namespace patchbay::math
