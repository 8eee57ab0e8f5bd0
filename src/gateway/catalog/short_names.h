// Shortens listed names that are longer than clients accept. The result depends only on the name
// itself, so that it is the same after a restart and with other items.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::gateway {

// At most `most` bytes that begin with the name of the upstream, contain the beginning of the
// tool's name, which has the verb, and end with a digest of the whole name. An empty `upstream`
// stands for a name without a prefix. Names that fit are returned unchanged, and so is every name
// if the separator leaves no room.
std::string short_name(std::string_view upstream, std::string_view separator, std::string_view name,
                       std::size_t most);

}  // namespace patchbay::gateway
