// Notifications to the service manager that started the gateway (systemd, Type=notify): that it is
// ready, reloads, stops or has been replaced, and that its threads still run. Without a service
// manager, nothing happens.
//
// Lives on the control thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace patchbay::app {

class ServiceManager {
 public:
  void ready() const;
  void reloading() const;
  void stopping() const;
  // That process is the service from now on.
  void replaced_by(pid_t process) const;

  // The interval at which it expects a watchdog report; none if it expects none.
  std::optional<std::chrono::nanoseconds> watchdog_interval() const;
  void alive() const;
};

}  // namespace patchbay::app
