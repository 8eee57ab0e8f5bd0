// The protections that a reload would remove from a running gateway. A configuration that was
// truncated, or saved by mistake, must not open a closed gateway: weaker settings need a restart,
// or `reload.allow_weaker`.
//
// Values only. Other changes for frontends, upstreams and callers are ordinary administration and
// do not count: another upstream, another token, another rule for a role that tokens give.
#pragma once

#include <string>
#include <vector>

#include "app/configuration.h"

namespace patchbay::app {

// One sentence for each protection that `next` weakens, beginning with the setting; none if `next`
// protects as well as `now`.
std::vector<std::string> weakenings(const Configuration& now, const Configuration& next);

}  // namespace patchbay::app
