// What can be said about the front end for callers on a Kafka bus (`patchbay bus serve`). Values
// only.
#pragma once

#include "config/fields.h"

namespace patchbay::frontends {

struct KafkaFrontendLimits {
  int at_once = 64;
  int backlog = 1'000;
  config::Bytes backlog_bytes{16 << 20};
  config::Duration handover{10'000};
  config::Duration leave_time{5'000};
  int tries = 3;
  config::Duration pause{200};
  int remembered = 10'000;
  config::Duration lookup_time{20'000};
  config::Duration retry{2'000};
};

}  // namespace patchbay::frontends

namespace patchbay {

template <>
inline constexpr auto config::fields<frontends::KafkaFrontendLimits> = std::tuple{
    Field{
        "max_concurrent_requests", &frontends::KafkaFrontendLimits::at_once,
        "Maximum number of requests processed at the same time. The option --at-once overrides it.",
        Range{1, 10'000}, Alias{"at_once"}},
    Field{"max_backlog", &frontends::KafkaFrontendLimits::backlog,
          "Maximum number of further requests queued in memory. The rest wait on the bus.",
          Range{1, 1'000'000}, Alias{"backlog"}},
    Field{"max_backlog_size", &frontends::KafkaFrontendLimits::backlog_bytes,
          "Maximum total size of the requests queued in memory.",
          Range{Bytes{1024}, Bytes{std::uint64_t{1} << 34}}, Alias{"backlog_bytes"}},
    Field{"rebalance_timeout", &frontends::KafkaFrontendLimits::handover,
          "Maximum time to finish requests in progress when partitions move to another consumer.",
          Range{Duration(0), Duration(300'000)}, Alias{"handover"}},
    Field{"leave_timeout", &frontends::KafkaFrontendLimits::leave_time,
          "Maximum time to leave the consumer group at shutdown. After it, the broker detects the "
          "departure by its session timeout.",
          Range{Duration(0), Duration(600'000)}, Alias{"leave_time"}},
    Field{"max_attempts", &frontends::KafkaFrontendLimits::tries,
          "Maximum number of attempts for a request whose server fails. Then the request becomes a "
          "dead letter.",
          Range{1, 100}, Alias{"tries"}},
    Field{"retry_interval", &frontends::KafkaFrontendLimits::pause,
          "Wait before the second attempt. It doubles with each further attempt.",
          Range{Duration(1), Duration(60'000)}, Alias{"pause"}},
    Field{"max_remembered_requests", &frontends::KafkaFrontendLimits::remembered,
          "Maximum number of request ids remembered to detect duplicates.", Range{0, 10'000'000},
          Alias{"remembered"}},
    Field{"lookup_timeout", &frontends::KafkaFrontendLimits::lookup_time,
          "Maximum time to create a topic, a schema or a registration.",
          Range{Duration(100), Duration(600'000)}, Alias{"lookup_time"}},
    Field{"lookup_retry_interval", &frontends::KafkaFrontendLimits::retry,
          "Wait before a failed creation is tried again.", Range{Duration(50), Duration(600'000)},
          Alias{"retry"}},
};

}  // namespace patchbay
