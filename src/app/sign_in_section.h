// Checks the section `sign_in` of a configuration.
#pragma once

#include <string>

#include "config/node.h"
#include "oauth/settings.h"

namespace patchbay::app {

void check_sign_in(const oauth::SignInSettings& settings, const config::Node& root,
                   const std::string& file, config::Faults& faults);

}  // namespace patchbay::app
