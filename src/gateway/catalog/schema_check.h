// Compiles the schemas of a catalog before anybody calls its tools, to find those that cannot be
// used. Pure, but that it looks at the clock.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "gateway/catalog/catalog.h"

namespace patchbay::gateway {

// By upstream: for each tool with a schema that cannot be used, its name and why. Ends after
// `longest`: what is left then is compiled by the calls that need it.
using UnusableTools = std::map<std::string, std::vector<std::string>, std::less<>>;
UnusableTools find_unusable(const Catalog& catalog, std::chrono::nanoseconds longest);

}  // namespace patchbay::gateway
