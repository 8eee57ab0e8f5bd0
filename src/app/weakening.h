// What a reload would take away from the protection of a running gateway. A configuration that was
// cut off, or saved by mistake, must not open a gateway that is closed: what weakens it needs a
// restart, or `reload.allow_weaker`.
//
// Values only. What the front ends, upstreams and callers are given beyond this is ordinary
// administration and no weakening: another upstream, another token, another rule for a role that
// tokens give.
#pragma once

#include <string>
#include <vector>

#include "app/configuration.h"

namespace patchbay::app {

// One sentence for each protection that `next` weakens, beginning with the setting; none if `next`
// protects as well as `now`.
std::vector<std::string> weakenings(const Configuration& now, const Configuration& next);

}  // namespace patchbay::app
