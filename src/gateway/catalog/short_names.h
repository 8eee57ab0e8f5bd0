// Shortens listed names that are longer than clients accept. The result depends on nothing but the
// name itself, so that it is the same after a restart and whatever else is offered. Pure.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::gateway {

// At most `most` bytes that begin with the name of the upstream, keep the beginning of the tool's
// name, where its verb is, and end with a digest of the whole name. An empty `upstream` stands for
// a name without a prefix. Names that fit are returned as they are, and so is every name if the
// separator leaves no room.
std::string short_name(std::string_view upstream, std::string_view separator, std::string_view name,
                       std::size_t most);

}  // namespace patchbay::gateway
