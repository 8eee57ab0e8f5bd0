// Compiles the schemas of a catalog before its tools are called, to find unusable ones.
//
// Pure, except that it reads the clock.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "gateway/catalog/catalog.h"

namespace patchbay::gateway {

// By upstream: the name of each tool with an unusable schema, and why. Ends after `longest`: the
// remaining schemas are compiled by the calls that need them.
using UnusableTools = std::map<std::string, std::vector<std::string>, std::less<>>;
UnusableTools find_unusable(const Catalog& catalog, std::chrono::nanoseconds longest);

}  // namespace patchbay::gateway
