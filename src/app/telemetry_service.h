// The TelemetryService owns the exporter of a running gateway, if a collector is configured.
//
// Lives on the control thread.
#pragma once

#include <memory>

#include "async/task.h"
#include "async/timers.h"
#include "telemetry/exporter.h"

namespace patchbay::app {

class TelemetryService {
 public:
  // REQUIRES: both outlive the service.
  TelemetryService(trace::SpanQueue& calls, metrics::Registry& registry)
      : calls_(calls), registry_(registry) {}

  // Starts the export, continues it with other settings, or ends it if there is no collector.
  Task<void> apply(const telemetry::Settings& settings,
                   std::shared_ptr<const telemetry::Collector> collector);

  // Sends queued data, until `deadline` at most, and ends.
  Task<void> stop(Deadline deadline);

 private:
  trace::SpanQueue& calls_;
  metrics::Registry& registry_;
  telemetry::Settings settings_;  // The settings in use, if there is an exporter.
  std::unique_ptr<telemetry::Exporter> exporter_;
};

}  // namespace patchbay::app
