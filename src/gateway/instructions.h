// Merges the instructions of upstreams into those of the gateway.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::gateway {

struct UpstreamInstructions {
  std::string upstream;
  std::string text;
};

// The gateway's own text, followed by each of the others under the name of its upstream: at most
// `most` bytes. Longer texts are cut; each upstream has an equal share of the remaining bytes.
// Empty texts are left out.
std::string merge_instructions(std::string_view own, std::vector<UpstreamInstructions> others,
                               std::size_t most);

}  // namespace patchbay::gateway
