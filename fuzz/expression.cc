// Fuzzes the calculator: an expression has a value that can be written and read again, or an error
// with a message.
#include <cmath>

#include "fuzz/require.h"
#include "skills/calculator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto value = evaluate(fuzz::text_of(data, size));
  if (!value) {
    fuzz::require(!value.error().message.empty());
    return 0;
  }
  fuzz::require(std::isfinite(*value));
  const auto again = evaluate(show_number(*value));
  fuzz::require(again && *again == *value);
  return 0;
}
