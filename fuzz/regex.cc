// Fuzzes the regular expressions: a pattern on the first line, the text on the others. The state
// table and the simulation of all states must agree, and neither may cost more than the sizes of
// pattern and text allow.
#include "json/schema/regex.h"
#include "fuzz/require.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

using fuzz::require;

constexpr std::uint64_t kPlenty = 1'000'000'000;

void check_pattern(std::string_view pattern, std::string_view text) {
  const auto regex = Regex::compile(pattern);
  if (!regex) {
    require(!regex.error().message.empty());
    return;
  }
  require(is_regex(pattern));
  Budget budget(kPlenty);
  const bool found = regex->search(text, budget);
  require(!budget.spent() && kPlenty - budget.left() <= (text.size() + 1) * (regex->size() + 2));

  const auto plain = Regex::compile(pattern, {.table = 0});
  require(plain && !plain->has_table());
  Budget other(kPlenty);
  require(plain->search(text, other) == found);
}

}  // namespace
}  // namespace patchbay::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = patchbay::fuzz::text_of(data, size);
  const auto line = input.find('\n');
  if (line == std::string_view::npos || !patchbay::json::is_utf8(input)) return 0;
  patchbay::json::check_pattern(input.substr(0, line), input.substr(line + 1));
  return 0;
}
