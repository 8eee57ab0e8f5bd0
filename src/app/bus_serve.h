// `patchbay bus serve`: the tools of a configuration as agents on a Kafka bus.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/bus_target.h"
#include "async/executor.h"
#include "frontends/kafka/settings.h"

namespace patchbay::app {

class Worker;

struct BusServeOptions : BusOptions {
  std::string group;
  std::string prefix;
  int partitions = 6;
  int at_once = 0;  // 0: as the limits say.
  bool unregister = false;
  std::string log_format;
  std::string log_level;
  frontends::KafkaFrontendLimits limits;  // Of the configuration.
};

int bus_serve(const BusServeOptions& options);

// Serves on the bus that the options name, with what `home` offers. `set_end` is told how to end
// it, and with nothing once it has ended. Called on the control thread.
Task<void> serve_on_bus(Worker& owner, Executor& control, const BusServeOptions& options,
                        std::chrono::nanoseconds grace,
                        std::function<void(std::function<void()>)> set_end);

}  // namespace patchbay::app
