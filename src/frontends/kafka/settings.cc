#include "frontends/kafka/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::KafkaFrontendLimits>() {
  static const Fields kFields = fields_of<frontends::KafkaFrontendLimits>({
      {"max_concurrent_requests", &frontends::KafkaFrontendLimits::at_once,
       "Maximum number of requests processed at the same time. The option --at-once overrides it.",
       Range{1, 10'000}, Alias{"at_once"}},
      {"max_backlog", &frontends::KafkaFrontendLimits::backlog,
       "Maximum number of further requests queued in memory. The rest wait on the bus.",
       Range{1, 1'000'000}, Alias{"backlog"}},
      {"max_backlog_size", &frontends::KafkaFrontendLimits::backlog_bytes,
       "Maximum total size of the requests queued in memory.",
       Range{Bytes{1024}, Bytes{std::uint64_t{1} << 34}}, Alias{"backlog_bytes"}},
      {"rebalance_timeout", &frontends::KafkaFrontendLimits::handover,
       "Maximum time to finish requests in progress when partitions move to another consumer.",
       Range{Duration(0), Duration(300'000)}, Alias{"handover"}},
      {"leave_timeout", &frontends::KafkaFrontendLimits::leave_time,
       "Maximum time to leave the consumer group at shutdown. After it, the broker detects the "
       "departure by its session timeout.",
       Range{Duration(0), Duration(600'000)}, Alias{"leave_time"}},
      {"max_attempts", &frontends::KafkaFrontendLimits::tries,
       "Maximum number of attempts for a request whose server fails. Then the request becomes a "
       "dead letter.",
       Range{1, 100}, Alias{"tries"}},
      {"retry_interval", &frontends::KafkaFrontendLimits::pause,
       "Wait before the second attempt. It doubles with each further attempt.",
       Range{Duration(1), Duration(60'000)}, Alias{"pause"}},
      {"max_remembered_requests", &frontends::KafkaFrontendLimits::remembered,
       "Maximum number of request ids remembered to detect duplicates.", Range{0, 10'000'000},
       Alias{"remembered"}},
      {"lookup_timeout", &frontends::KafkaFrontendLimits::lookup_time,
       "Maximum time to create a topic, a schema or a registration.",
       Range{Duration(100), Duration(600'000)}, Alias{"lookup_time"}},
      {"lookup_retry_interval", &frontends::KafkaFrontendLimits::retry,
       "Wait before a failed creation is tried again.", Range{Duration(50), Duration(600'000)},
       Alias{"retry"}},
  });
  return kFields;
}

}  // namespace patchbay
