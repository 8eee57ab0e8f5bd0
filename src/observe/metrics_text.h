// A Snapshot as text, in the two formats that Prometheus reads: the text format 0.0.4, and
// OpenMetrics 1.0, which has exemplars and units. Pure.
#pragma once

#include <string>

#include "observe/metrics_snapshot.h"

namespace patchbay::metrics {

std::string prometheus_text(const Snapshot& snapshot);
std::string openmetrics_text(const Snapshot& snapshot);

}  // namespace patchbay::metrics
