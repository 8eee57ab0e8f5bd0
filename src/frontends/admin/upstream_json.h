// An upstream as the control API shows it. Pure.
#pragma once

#include <string>

#include "frontends/admin/load.h"
#include "frontends/operations.h"

namespace patchbay::frontends {

std::string upstream_object(const UpstreamLine& line, const LoadCounters& counters);

}  // namespace patchbay::frontends
