// The sampling rules of the section `telemetry`: which calls are exported as spans.
//
// Pure.
#pragma once

#include "telemetry/settings.h"
#include "trace/sampling.h"

namespace patchbay::telemetry {

// Without an endpoint no call is exported.
trace::Sampling sampling_of(const Settings& settings);

}  // namespace patchbay::telemetry
