// The Exporter sends calls, metrics and log lines to an OpenTelemetry collector. It has its own
// thread, so that neither encoding nor a slow collector costs a worker anything.
//
// Memory: the queue of calls (traces.max_queued_calls), a ring of lines per thread
// (logs.max_queue_size), and one request in progress for each signal, of at most 512 calls, all
// metrics, or 1 MiB of lines plus those of one more thread. Data that does not fit is dropped and
// counted.
//
// start(), use() and stop() belong to the control thread; everything else runs on its own.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <thread>

#include "async/scope.h"
#include "net/io/loop.h"
#include "observe/log_export.h"
#include "observe/metrics.h"
#include "telemetry/collector.h"
#include "telemetry/otlp_resource.h"
#include "telemetry/otlp_sender.h"
#include "telemetry/pause.h"
#include "telemetry/settings.h"
#include "trace/span_queue.h"

namespace patchbay::telemetry {

class Exporter {
 public:
  // REQUIRES: `calls` and `registry` outlive the exporter.
  Exporter(trace::SpanQueue& calls, metrics::Registry& registry);
  ~Exporter();  // REQUIRES: stopped, or never started.

  // Starts the thread.
  void start(const Settings& settings, std::shared_ptr<const Collector> collector);

  // Uses other settings from now on. Queued data is sent to the new collector.
  Task<void> use(Settings settings, std::shared_ptr<const Collector> collector);

  // Sends the queued data, each request once and until `deadline` at most, and ends the thread.
  Task<void> stop(Deadline deadline);

 private:
  static constexpr std::size_t kMostLines = 1 << 20;  // Approximate bytes of lines in a request.

  // How one signal is exported.
  struct Channel {
    Channel(Signal signal, metrics::Registry& registry, const SenderState& state)
        : sender(signal, registry, state) {}

    OtlpSender sender;
    Pause pause;        // Between two exports.
    OtlpBuffer buffer;  // The request in progress.
  };
  Channel& channel(Signal signal) { return *channels_[static_cast<std::size_t>(signal)]; }

  void apply(Settings settings, std::shared_ptr<const Collector> collector);
  void wake(Signal signal);
  Task<void> export_calls();
  Task<void> export_metrics();
  Task<void> export_lines();
  Task<void> count_drops();
  void count_queue_drops();
  Task<bool> wait(Signal signal, std::chrono::nanoseconds interval);
  Task<bool> send(Signal signal, std::size_t items);
  Task<void> finish(Deadline deadline);

  trace::SpanQueue& calls_;
  metrics::Registry& registry_;
  const std::string instance_;
  net::Loop loop_;
  std::thread thread_;

  // Used on its own thread only.
  Settings settings_;
  Resource resource_;
  SenderState state_;
  std::array<std::unique_ptr<Channel>, kSignals.size()> channels_;
  Scope exports_;
  Scope counting_;
};

}  // namespace patchbay::telemetry
