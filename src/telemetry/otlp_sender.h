// An OtlpSender sends the requests of one signal to the collector, one at a time. A request that
// fails for a temporary reason is sent again, with growing pauses, until it is too old. The sender
// counts the outcomes, and logs when sending begins to fail and when it works again.
//
// Confined to the thread of the exporter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "net/http/client/pool.h"
#include "observe/metrics.h"
#include "telemetry/collector.h"
#include "telemetry/otlp_response.h"
#include "telemetry/pause.h"

namespace patchbay::telemetry {

// The collector in use, with the connections to it. A reload replaces it; a request in progress
// ends with the one that it began with.
struct Link {
  Link(OtlpSettings used, std::shared_ptr<const Collector> to);

  const OtlpSettings settings;
  const std::shared_ptr<const Collector> collector;
  net::HttpPool pool;
};

// The shared state of the senders of an exporter.
struct SenderState {
  std::shared_ptr<Link> link;
  bool stopping = false;      // Requests are no longer retried.
  Deadline stop_at = kNever;  // When the last request must be over.
};

class OtlpSender {
 public:
  // REQUIRES: `state` outlives the sender.
  OtlpSender(Signal signal, metrics::Registry& registry, const SenderState& state);

  // Sends a request with that many items, and retries it if necessary. False: the items are lost.
  // The body must stay valid meanwhile.
  Task<bool> send(Encoding encoding, std::string_view body, std::size_t items);

  // Counts items that a full queue has dropped; `total` is their number so far.
  void count_queue_drops(std::uint64_t total);
  // Counts items that were not sent because the gateway stops.
  void count_unsent(std::size_t items) { unsent_->add(items); }

  // Ends the pause before the next attempt, because the gateway stops or the settings have changed.
  void hurry() { pause_.end(); }

 private:
  // The outcome of one attempt.
  struct Answer {
    int status = 0;  // 0: there was no answer.
    std::string why = {};
    std::optional<std::chrono::seconds> retry_after = {};
    PartialSuccess partial = {};
    bool cancelled = false;
  };

  Task<Answer> attempt(std::shared_ptr<Link> link, Encoding encoding, std::string_view body);
  void count_answer(const Answer& answer);
  void take_success(const Answer& answer, std::size_t items);
  std::chrono::nanoseconds pause_before_retry(const OtlpSettings& settings, const Answer& answer,
                                              int attempts);
  void report_failure(const Answer& answer);
  std::shared_ptr<metrics::Counter> dropped(metrics::Registry& registry,
                                            std::string_view why) const;
  std::shared_ptr<metrics::Counter> requests(metrics::Registry& registry,
                                             std::string_view outcome) const;

  const Signal signal_;
  const SenderState& state_;
  Pause pause_;
  std::minstd_rand random_;
  std::string fields_;  // Of the request that is being sent.
  std::uint64_t queue_drops_ = 0;
  bool failing_ = false;              // A failure was logged, and nothing was sent since.
  std::optional<Deadline> reported_;  // When a failure was logged last.

  const std::shared_ptr<metrics::Counter> exported_;
  const std::shared_ptr<metrics::Counter> queue_full_;
  const std::shared_ptr<metrics::Counter> refused_;
  const std::shared_ptr<metrics::Counter> rejected_;
  const std::shared_ptr<metrics::Counter> too_old_;
  const std::shared_ptr<metrics::Counter> unsent_;
  const std::shared_ptr<metrics::Counter> requests_ok_;
  const std::shared_ptr<metrics::Counter> requests_partial_;
  const std::shared_ptr<metrics::Counter> requests_refused_;
  const std::shared_ptr<metrics::Counter> requests_failed_;
};

}  // namespace patchbay::telemetry
