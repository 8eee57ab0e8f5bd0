// The name of a server in the file of another client as that of an upstream. Values only.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::app {

// A name that may be part of the names of tools, where models allow little.
std::string upstream_name(std::string_view name);
// The same name with a number at its end, no longer than names may be.
std::string numbered_upstream_name(std::string_view good, int number);

}  // namespace patchbay::app
