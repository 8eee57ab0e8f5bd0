// Fuzzes the loading of configuration text, as YAML, JSON or TOML: the result is a tree, or faults
// with lines. Each tree is also read as the file of another client.
#include "app/client_file.h"
#include "config/digest.h"
#include "config/load.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto text = fuzz::text_of(data, size);
  for (const std::string name : {"fuzz.yaml", "fuzz.jsonc", "fuzz.toml"}) {
    // A text that is valid YAML is hardly ever TOML: each reader ends at once with the others'.
    config::Faults faults;
    config::Faults notes;
    auto node = config::parse_text(text, name, faults);
    app::translate_clients(node, name, faults, notes);
    config::resolve(node, name, faults);
    for (const auto& fault : faults) fuzz::require(!fault.message.empty());
    for (const auto& note : notes) fuzz::require(!note.message.empty());
    fuzz::require(config::digest(node).size() == 16);
  }
  return 0;
}
