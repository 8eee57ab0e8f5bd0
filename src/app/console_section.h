// The section `console`, as far as it depends on other sections. Pure.
#pragma once

#include <string>

#include "app/settings.h"
#include "config/node.h"

namespace patchbay::app {

// Adds a fault for everything in the section that cannot be used.
void check_console(const Settings& settings, const config::Node& root, const std::string& file,
                   config::Faults& faults);

}  // namespace patchbay::app
