// Fuzzes canonical JSON: the result is its own canonical form and means the same as the text.
#include "json/canonical.h"
#include "fuzz/require.h"
#include "json/diff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto text = fuzz::text_of(data, size);
  const auto once = json::canonical(text);
  if (!once) return 0;
  const auto twice = json::canonical(*once);
  fuzz::require(twice && *twice == *once);
  fuzz::require(json::differences(text, *once, 1).empty());
  return 0;
}
