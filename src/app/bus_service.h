// The BusService has the embedded bus of this process, once an upstream wants one. It stays until
// the process ends, so that what is on it outlives a reload.
//
// Lives on the control thread; describe() may be called on any.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "bus/embedded_bus.h"

namespace patchbay::app {

class BusService {
 public:
  // The bus, started if it is not; null if it cannot be, which is logged.
  std::shared_ptr<bus::EmbeddedBus> get();

  // Where it is, as JSON; empty if there is none.
  std::string describe() const;

  // For people: where it is, and that it is not for keeps; empty if there is none.
  std::string banner() const;

  Task<void> stop();

 private:
  mutable std::mutex mutex_;  // For those who ask from other threads.
  std::shared_ptr<bus::EmbeddedBus> bus_;
};

}  // namespace patchbay::app
