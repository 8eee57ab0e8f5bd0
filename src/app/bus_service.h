// The BusService owns the embedded bus of this process, which starts when an upstream first needs
// it. The bus runs until the process ends, so that its data outlives a reload.
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
  // The bus, which is started if necessary; null if it cannot start, which is logged.
  std::shared_ptr<bus::EmbeddedBus> get();

  // Its addresses as JSON; empty if there is none.
  std::string describe() const;

  // For people: its addresses, and that it stores nothing on disk; empty if there is none.
  std::string banner() const;

  Task<void> stop();

 private:
  mutable std::mutex mutex_;  // For callers on other threads.
  std::shared_ptr<bus::EmbeddedBus> bus_;
};

}  // namespace patchbay::app
