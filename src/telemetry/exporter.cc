#include "telemetry/exporter.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "async/hop.h"
#include "core/discard.h"
#include "core/ids.h"
#include "telemetry/otlp_encode.h"

namespace patchbay::telemetry {
namespace {

constexpr auto kCountInterval = std::chrono::seconds(1);

std::int64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::size_t bound_of(const Settings& settings) {
  return settings.traces.enabled ? static_cast<std::size_t>(settings.traces.max_queued_calls) : 0;
}

}  // namespace

Exporter::Exporter(trace::SpanQueue& calls, metrics::Registry& registry)
    : calls_(calls), registry_(registry), instance_(random_uuid()) {
  for (const Signal signal : kSignals) {
    channels_[static_cast<std::size_t>(signal)] =
        std::make_unique<Channel>(signal, registry, state_);
  }
}

Exporter::~Exporter() {
  if (thread_.joinable()) thread_.join();
}

void Exporter::start(const Settings& settings, std::shared_ptr<const Collector> collector) {
  // Takes effect at once, since calls may end before the thread runs.
  calls_.set_bound(bound_of(settings));
  auto begin = [this, settings, collector = std::move(collector)]() mutable {
    log::exclude_from_export();
    apply(std::move(settings), std::move(collector));
    exports_.spawn(export_calls());
    exports_.spawn(export_metrics());
    exports_.spawn(export_lines());
    counting_.spawn(count_drops());
  };
  loop_.post(std::move(begin));
  thread_ = std::thread([this] { loop_.run(); });
}

Task<void> Exporter::use(Settings settings, std::shared_ptr<const Collector> collector) {
  auto there = [this, settings = std::move(settings),
                collector = std::move(collector)]() mutable -> Task<void> {
    apply(std::move(settings), std::move(collector));
    for (const auto& one : channels_) {
      one->pause.end();
      one->sender.hurry();
    }
    co_return ok();
  };
  co_return co_await hop<void>(loop_, std::move(there));
}

Task<void> Exporter::stop(Deadline deadline) {
  auto there = [this, deadline] { return finish(deadline); };
  auto finished = co_await hop<void>(loop_, there);
  loop_.quit();
  thread_.join();
  co_return finished;
}

void Exporter::apply(Settings settings, std::shared_ptr<const Collector> collector) {
  settings_ = std::move(settings);
  resource_ = make_resource(settings_, instance_);
  state_.link = std::make_shared<Link>(settings_.otlp, std::move(collector));
  calls_.set_wake([this] { wake(Signal::traces); });
  calls_.set_bound(bound_of(settings_));
  log::collect_exported(settings_.logs.enabled ? settings_.logs.max_queue_size.value : 0,
                        [this] { wake(Signal::logs); });
}

// On any thread.
void Exporter::wake(Signal signal) {
  loop_.post([this, signal] { channel(signal).pause.end(); });
}

// False: this was the last export.
Task<bool> Exporter::wait(Signal signal, std::chrono::nanoseconds interval) {
  if (state_.stopping) co_return false;
  auto waited = co_await channel(signal).pause.until(here().now() + interval);
  co_return waited && !state_.stopping;
}

// Sends the request in the buffer of the signal. False: it is lost.
Task<bool> Exporter::send(Signal signal, std::size_t items) {
  Channel& one = channel(signal);
  const Encoding encoding = settings_.otlp.encoding;
  auto sent = co_await one.sender.send(encoding, one.buffer.view(), items);
  one.buffer.trim(2 * kMostLines);
  co_return sent;
}

Task<void> Exporter::export_calls() {
  trace::SpanQueue::Batch batch;
  for (;;) {
    auto again = co_await wait(Signal::traces, settings_.traces.interval);
    bool lost = false;
    while (calls_.take(batch)) {
      // While stopping, a collector that did not answer gets no further request.
      if (lost && state_.stopping) {
        channel(Signal::traces).sender.count_unsent(batch.size());
        continue;
      }
      OtlpBuffer& buffer = channel(Signal::traces).buffer;
      buffer.clear();
      const auto items = encode_calls(settings_.otlp.encoding, resource_, batch, buffer);
      auto sent = co_await send(Signal::traces, items);
      lost = !sent || !*sent;
      // Only a few calls have been queued meanwhile; a request for them would cost more than they
      // do.
      if (batch.size() < trace::SpanQueue::kMaxBatch && !state_.stopping) break;
    }
    if (!again || !*again) co_return ok();
  }
}

Task<void> Exporter::export_metrics() {
  for (;;) {
    auto again = co_await wait(Signal::metrics, settings_.metrics.interval);
    if (settings_.metrics.enabled) {
      count_queue_drops();
      OtlpBuffer& buffer = channel(Signal::metrics).buffer;
      buffer.clear();
      const auto items = encode_metrics(settings_.otlp.encoding, resource_, registry_.snapshot(),
                                        unix_now(), buffer);
      auto sent = co_await send(Signal::metrics, items);
      discard(sent, "the next request has the same counts, and more");
    }
    if (!again || !*again) co_return ok();
  }
}

Task<void> Exporter::export_lines() {
  log::ExportedLines lines;
  for (;;) {
    auto again = co_await wait(Signal::logs, settings_.logs.interval);
    bool lost = false;
    for (lines.take(kMostLines); !lines.empty(); lines.take(kMostLines)) {
      OtlpBuffer& buffer = channel(Signal::logs).buffer;
      buffer.clear();
      const auto items = encode_lines(settings_.otlp.encoding, resource_, lines, buffer);
      lines.clear();
      if (lost && state_.stopping) {
        channel(Signal::logs).sender.count_unsent(items);
        continue;
      }
      auto sent = co_await send(Signal::logs, items);
      lost = !sent || !*sent;
    }
    if (!again || !*again) co_return ok();
  }
}

// Checked also while a request is being retried.
Task<void> Exporter::count_drops() {
  for (;;) {
    count_queue_drops();
    auto slept = co_await sleep_until(here().now() + kCountInterval);
    if (!slept) co_return slept;
  }
}

void Exporter::count_queue_drops() {
  channel(Signal::traces).sender.count_queue_drops(calls_.dropped());
  channel(Signal::logs).sender.count_queue_drops(log::dropped_exported_lines());
}

Task<void> Exporter::finish(Deadline deadline) {
  state_.stopping = true;
  state_.stop_at = deadline;
  for (const auto& one : channels_) {
    one->pause.end();
    one->sender.hurry();
  }
  auto exported = co_await exports_.drain(deadline);
  discard(exported, "what is left is lost, and the next line ends it");
  exports_.cancel();
  counting_.cancel();
  auto ended = co_await exports_.drain(kNever);
  discard(ended, "cancelled tasks end");
  auto counted = co_await counting_.drain(kNever);
  discard(counted, "cancelled tasks end");
  log::collect_exported(0, nullptr);
  calls_.set_wake(nullptr);
  count_queue_drops();
  trace::SpanQueue::Batch batch;
  while (calls_.take(batch)) channel(Signal::traces).sender.count_unsent(batch.size());
  calls_.set_bound(0);
  state_.link.reset();
  co_return ok();
}

}  // namespace patchbay::telemetry
