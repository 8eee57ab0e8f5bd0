// The metrics that Prometheus expects of every process: CPU time, memory, descriptors and start
// time. Read from /proc when metrics are read.
#pragma once

#include "observe/metrics.h"

namespace patchbay::metrics {

void watch_process(Registry& registry);

}  // namespace patchbay::metrics
