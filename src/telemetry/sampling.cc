#include "telemetry/sampling.h"

namespace patchbay::telemetry {

trace::Sampling sampling_of(const Settings& settings) {
  const TraceSettings& traces = settings.traces;
  return {.enabled = traces.enabled && !settings.otlp.endpoint.empty(),
          .ratio = traces.sample_ratio,
          .follow_parent = traces.follow_parent,
          .failed = traces.failed_calls,
          .slow = traces.slow_call_threshold};
}

}  // namespace patchbay::telemetry
