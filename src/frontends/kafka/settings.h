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
    Field{"at_once", &frontends::KafkaFrontendLimits::at_once,
          "How many requests are dealt with at a time; --at-once stands above it.",
          Range{1, 10'000}},
    Field{"backlog", &frontends::KafkaFrontendLimits::backlog,
          "How many more may wait in the program; the rest wait on the bus.", Range{1, 1'000'000}},
    Field{"backlog_bytes", &frontends::KafkaFrontendLimits::backlog_bytes,
          "How large those that wait in the program may be together.",
          Range{Bytes{1024}, Bytes{std::uint64_t{1} << 34}}},
    Field{"handover", &frontends::KafkaFrontendLimits::handover,
          "How long what is being dealt with may take to be finished when partitions go to another "
          "program.",
          Range{Duration(0), Duration(300'000)}},
    Field{"leave_time", &frontends::KafkaFrontendLimits::leave_time,
          "How long leaving the group may take at the end; after that it is left without a word, "
          "and the bus notices by itself.",
          Range{Duration(0), Duration(600'000)}},
    Field{"tries", &frontends::KafkaFrontendLimits::tries,
          "How often a request is tried whose server fails, before it becomes a dead letter.",
          Range{1, 100}},
    Field{"pause", &frontends::KafkaFrontendLimits::pause,
          "How long it is waited before the second try; doubles with each.",
          Range{Duration(1), Duration(60'000)}},
    Field{"remembered", &frontends::KafkaFrontendLimits::remembered,
          "How many requests are known when they come again.", Range{0, 10'000'000}},
    Field{"lookup_time", &frontends::KafkaFrontendLimits::lookup_time,
          "How long making a topic, a schema or a registration may take.",
          Range{Duration(100), Duration(600'000)}},
    Field{"retry", &frontends::KafkaFrontendLimits::retry,
          "How soon it is tried again if that failed.", Range{Duration(50), Duration(600'000)}},
};

}  // namespace patchbay
