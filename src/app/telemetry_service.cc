#include "app/telemetry_service.h"

#include <chrono>
#include <utility>

#include "async/executor.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

// The time to send when a reload ends the export.
constexpr auto kFlushTime = std::chrono::seconds(2);

}  // namespace

Task<void> TelemetryService::apply(const telemetry::Settings& settings,
                                   std::shared_ptr<const telemetry::Collector> collector) {
  if (!collector) co_return co_await stop(here().now() + kFlushTime);
  // TLS files may have changed although the settings are the same.
  if (exporter_ && settings == settings_ && !collector->tls) co_return ok();
  settings_ = settings;
  if (exporter_) co_return co_await exporter_->use(settings_, std::move(collector));
  log::Line(log::Level::info, "telemetry exported").add("endpoint", settings_.otlp.endpoint);
  exporter_ = std::make_unique<telemetry::Exporter>(calls_, registry_);
  exporter_->start(settings_, std::move(collector));
  co_return ok();
}

Task<void> TelemetryService::stop(Deadline deadline) {
  if (!exporter_) co_return ok();
  auto exporter = std::exchange(exporter_, nullptr);
  co_return co_await exporter->stop(deadline);
}

}  // namespace patchbay::app
