// Merges what upstreams state about how to use them into the instructions of the gateway. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::gateway {

struct UpstreamInstructions {
  std::string upstream;
  std::string text;
};

// The gateway's own text, and then each of the others under the name of its upstream: at most
// `most` bytes. What is too long is cut; each upstream has an equal share of what is left to it.
// Empty texts are left out.
std::string merge_instructions(std::string_view own, std::vector<UpstreamInstructions> others,
                               std::size_t most);

}  // namespace patchbay::gateway
