// One server in the file of another client as an entry of `upstreams`. Values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/client_context.h"
#include "config/node.h"

namespace patchbay::app {

// The entry in our notation, with its `kind`; nothing if it is left out (a note says why) or wrong
// (a fault says how). Values of ${…} are still to be resolved.
std::optional<config::Node> translate_entry(const config::Node& entry, const std::string& path,
                                            const ClientContext& context);

}  // namespace patchbay::app
