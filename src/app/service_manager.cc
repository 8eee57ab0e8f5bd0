#include "app/service_manager.h"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <ctime>
#include <string>

namespace patchbay::app {
namespace {

// A service manager that cannot be reached still notices the end of the process.
void notify(const std::string& state) { ::sd_notify(0, state.c_str()); }

}  // namespace

void ServiceManager::ready() const { notify("READY=1"); }

void ServiceManager::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                     std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::stopping() const { notify("STOPPING=1"); }

void ServiceManager::replaced_by(pid_t process) const {
  notify(fmt::format("MAINPID={}", process));
}

std::optional<std::chrono::nanoseconds> ServiceManager::watchdog_interval() const {
  std::uint64_t limit = 0;
  if (::sd_watchdog_enabled(0, &limit) <= 0) return std::nullopt;
  // Twice as often as required, so that one late report does no harm.
  return std::chrono::microseconds(limit / 2);
}

void ServiceManager::alive() const { notify("WATCHDOG=1"); }

}  // namespace patchbay::app
