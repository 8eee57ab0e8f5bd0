// Points out timeouts in a configuration that cannot take effect. Values only.
#pragma once

#include <string>

#include "app/settings.h"
#include "app/upstream_entries.h"
#include "config/node.h"

namespace patchbay::app {

// Those of one upstream: longer than any call may take. REQUIRES: aliases have been applied.
void note_timeouts(const UpstreamEntry& entry, const LimitSettings& limits, const std::string& file,
                   config::Faults& warnings);

// Those of the gateway itself.
void note_timeouts(const config::Node& root, const LimitSettings& limits, const std::string& file,
                   config::Faults& warnings);

}  // namespace patchbay::app
