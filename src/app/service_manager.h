// What the gateway tells the service manager that started it (systemd, Type=notify): that it is
// ready, reloads, stops, has been replaced, and that its threads still run. Without one, nothing
// happens.
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

  // How often it expects a sign of life; none if it does not.
  std::optional<std::chrono::nanoseconds> watchdog_interval() const;
  void alive() const;
};

}  // namespace patchbay::app
