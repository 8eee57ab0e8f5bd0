// The settings of the frontend for callers on a Kafka bus (`patchbay bus serve`).
//
// Values only.
#pragma once

#include "config/settings.h"

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
const config::Fields& config::fields<frontends::KafkaFrontendLimits>();

}  // namespace patchbay
