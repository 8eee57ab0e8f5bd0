#include "app/bus_service.h"

#include <fmt/format.h>

#include <utility>

#include "observe/log.h"

namespace patchbay::app {

std::shared_ptr<bus::EmbeddedBus> BusService::get() {
  if (bus_) return bus_;
  auto bus = std::make_shared<bus::EmbeddedBus>();
  auto started = bus->start();
  if (!started) {
    log::Line(log::Level::error, "no embedded bus").add("why", started.error().message);
    return nullptr;
  }
  log::Line(log::Level::info, "embedded bus")
      .add("bootstrap", bus->bootstrap())
      .add("schema_registry", bus->registry_url())
      .add("durable", "no");
  const std::lock_guard lock(mutex_);
  bus_ = std::move(bus);
  return bus_;
}

std::string BusService::describe() const {
  const std::lock_guard lock(mutex_);
  return bus_ ? bus_->describe() : "";
}

std::string BusService::banner() const {
  const std::lock_guard lock(mutex_);
  if (!bus_) return "";
  return fmt::format(
      "embedded  kafka {}  schema registry {}  in memory: gone when this process ends",
      bus_->bootstrap(), bus_->registry_url());
}

Task<void> BusService::stop() {
  std::shared_ptr<bus::EmbeddedBus> last;
  {
    const std::lock_guard lock(mutex_);
    last = std::exchange(bus_, nullptr);
  }
  if (!last) co_return ok();
  co_return co_await last->stop();
}

}  // namespace patchbay::app
