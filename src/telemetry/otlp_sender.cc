#include "telemetry/otlp_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "async/executor.h"
#include "json/text.h"
#include "observe/log.h"

namespace patchbay::telemetry {
namespace {

constexpr std::size_t kMaxResponse = 64 << 10;  // Of an answer; a larger one is not read.
constexpr auto kReportInterval = std::chrono::minutes(1);  // Between two log lines about failures.

bool is_success(int status) { return status >= 200 && status <= 299; }

std::string_view content_type(Encoding encoding) {
  return encoding == Encoding::json ? "Content-Type: application/json\r\n"
                                    : "Content-Type: application/x-protobuf\r\n";
}

net::HttpPoolSettings pool_for(const OtlpSettings& settings) {
  net::HttpPoolSettings pool;
  pool.connections = static_cast<int>(kSignals.size());
  pool.connect = settings.timeout;
  return pool;
}

}  // namespace

Link::Link(OtlpSettings used, std::shared_ptr<const Collector> to)
    : settings(std::move(used)),
      collector(std::move(to)),
      pool(collector->url(Signal::traces), collector->tls, pool_for(settings)) {}

OtlpSender::OtlpSender(Signal signal, metrics::Registry& registry, const SenderState& state)
    : signal_(signal),
      state_(state),
      random_(std::random_device()()),
      exported_(registry.counter("patchbay_telemetry_exported_total",
                                 "Calls, metric points and log lines that the collector took.",
                                 metrics::labels({{"signal", name_of(signal)}}))),
      queue_full_(dropped(registry, "queue_full")),
      refused_(dropped(registry, "refused")),
      rejected_(dropped(registry, "rejected")),
      too_old_(dropped(registry, "too_old")),
      unsent_(dropped(registry, "stopped")),
      requests_ok_(requests(registry, "ok")),
      requests_partial_(requests(registry, "partial")),
      requests_refused_(requests(registry, "refused")),
      requests_failed_(requests(registry, "failed")) {
  // Another exporter may have counted before.
  queue_drops_ = queue_full_->value();
}

std::shared_ptr<metrics::Counter> OtlpSender::dropped(metrics::Registry& registry,
                                                      std::string_view why) const {
  return registry.counter("patchbay_telemetry_dropped_total",
                          "Calls, metric points and log lines that were not exported.",
                          metrics::labels({{"signal", name_of(signal_)}, {"reason", why}}));
}

std::shared_ptr<metrics::Counter> OtlpSender::requests(metrics::Registry& registry,
                                                       std::string_view outcome) const {
  return registry.counter("patchbay_telemetry_requests_total", "Requests to the collector.",
                          metrics::labels({{"signal", name_of(signal_)}, {"outcome", outcome}}));
}

void OtlpSender::count_queue_drops(std::uint64_t total) {
  queue_full_->add(total - std::exchange(queue_drops_, total));
}

Task<bool> OtlpSender::send(Encoding encoding, std::string_view body, std::size_t items) {
  const Deadline began = here().now();
  for (int attempts = 1;; ++attempts) {
    const auto link = state_.link;
    auto answered = co_await attempt(link, encoding, body);
    if (!answered) co_return answered.error();
    const Answer& answer = *answered;
    count_answer(answer);
    if (is_success(answer.status)) {
      take_success(answer, items);
      co_return true;
    }
    report_failure(answer);
    if (answer.cancelled || state_.stopping) {
      unsent_->add(items);
      co_return false;
    }
    if (answer.status != 0 && !is_retryable(answer.status)) {
      refused_->add(items);
      co_return false;
    }
    const Deadline next = here().now() + pause_before_retry(link->settings, answer, attempts);
    if (next > began + link->settings.retry_timeout) {
      too_old_->add(items);
      co_return false;
    }
    auto waited = co_await pause_.until(next);
    if (!waited) {
      unsent_->add(items);
      co_return false;
    }
  }
}

// One request. A failure to reach the collector is an answer too.
Task<OtlpSender::Answer> OtlpSender::attempt(std::shared_ptr<Link> link, Encoding encoding,
                                             std::string_view body) {
  const Deadline deadline = std::min(here().now() + link->settings.timeout, state_.stop_at);
  fields_ = content_type(encoding);
  fields_ += link->collector->fields;
  const net::HttpCall call{"POST", link->collector->url(signal_).path, fields_, body};
  auto response = co_await link->pool.request(call, deadline);
  if (!response) {
    co_return Answer{.why = response.error().message,
                     .cancelled = response.error().code == Code::cancelled};
  }
  Answer answer{.status = (*response)->status(),
                .why = fmt::format("the collector answers {}", (*response)->status())};
  answer.retry_after = read_retry_after((*response)->field("Retry-After"));
  // The status decides; a missing body has no effect.
  auto text = co_await (*response)->read_all(kMaxResponse, deadline);
  if (text && is_success(answer.status)) answer.partial = read_partial_success(encoding, *text);
  co_return answer;
}

void OtlpSender::count_answer(const Answer& answer) {
  if (is_success(answer.status)) {
    (answer.partial.rejected > 0 ? requests_partial_ : requests_ok_)->add();
  } else if (answer.status != 0 && !is_retryable(answer.status)) {
    requests_refused_->add();
  } else {
    requests_failed_->add();
  }
}

void OtlpSender::take_success(const Answer& answer, std::size_t items) {
  const std::size_t rejected = std::min<std::uint64_t>(answer.partial.rejected, items);
  exported_->add(items - rejected);
  rejected_->add(rejected);
  if (rejected > 0) {
    Answer partial{.why = "the collector rejects some of it: " +
                          json::shortened(answer.partial.why, 200)};
    return report_failure(partial);
  }
  if (!std::exchange(failing_, false)) return;
  log::Line(log::Level::info, "telemetry sent again").add("signal", name_of(signal_));
}

// Doubles with each attempt. A random value between half of it and all of it, so that gateways that
// failed together do not retry together. The collector may request a longer pause.
std::chrono::nanoseconds OtlpSender::pause_before_retry(const OtlpSettings& settings,
                                                        const Answer& answer, int attempts) {
  constexpr int kMostDoublings = 20;
  const std::chrono::nanoseconds most = settings.max_retry_interval;
  std::chrono::nanoseconds pause = settings.initial_retry_interval;
  for (int i = 1; i < std::min(attempts, kMostDoublings) && pause < most; ++i) pause *= 2;
  pause = std::min(pause, most);
  std::uniform_real_distribution<double> share(0.5, 1.0);
  pause = std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(pause.count()) * share(random_)));
  if (!answer.retry_after) return pause;
  return std::max(pause, std::min<std::chrono::nanoseconds>(*answer.retry_after, most));
}

void OtlpSender::report_failure(const Answer& answer) {
  const Deadline now = here().now();
  if (reported_ && now < *reported_ + kReportInterval) return;
  reported_ = now;
  failing_ = true;
  log::Line(log::Level::warn, "telemetry not sent")
      .add("signal", name_of(signal_))
      .add("why", answer.why);
}

}  // namespace patchbay::telemetry
