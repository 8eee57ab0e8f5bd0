// `patchbay bus serve`: the tools of a configuration as agents on a Kafka bus.
#pragma once

#include <string>

#include "cli/bus_target.h"
#include "frontends/kafka/settings.h"

namespace patchbay::app {

struct BusServeOptions : BusOptions {
  std::string group;
  std::string prefix;
  int partitions = 6;
  int at_once = 0;  // 0: the limit of the configuration.
  bool unregister = false;
  std::string log_format;
  std::string log_level;
  frontends::KafkaFrontendLimits limits;  // Of the configuration.
};

int bus_serve(const BusServeOptions& options);

}  // namespace patchbay::app
