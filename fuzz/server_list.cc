// Fuzzes the list of servers: each entry is a name with an endpoint, or an error with a message; an
// endpoint is an entry with a kind, or such an error.
#include "app/server_list.h"
#include "app/endpoint.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  for (const auto& entry : app::read_server_list(fuzz::text_of(data, size))) {
    if (!entry) {
      fuzz::require(!entry.error().message.empty());
      continue;
    }
    fuzz::require(!entry->name.empty() && entry->name.find(':') == std::string::npos);
    const auto node = app::read_endpoint(entry->endpoint);
    fuzz::require(node ? node->find("kind") != nullptr : !node.error().message.empty());
  }
  return 0;
}
