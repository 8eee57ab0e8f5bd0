// Fuzzes the loading of configuration text, YAML and JSON: it ends in a tree or in faults with
// lines, never in anything else.
#include "config/digest.h"
#include "config/load.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  config::Faults faults;
  const auto node = config::load_text(fuzz::text_of(data, size), "fuzz.yaml", faults);
  for (const auto& fault : faults) fuzz::require(!fault.message.empty());
  fuzz::require(config::digest(node).size() == 16);
  return 0;
}
