// A Registrar is an upstream whose tools and resources register themselves: it can show what is
// registered, and have more of it.
//
// Callable on any worker.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "async/timers.h"

namespace patchbay::gateway {

class Registrar {
 public:
  virtual ~Registrar() = default;

  // The name of the upstream.
  virtual std::string_view registrar_name() const = 0;

  // All registrations, each raw JSON of an object with its `name`, and with `offered` and `problem`
  // beside what was registered.
  virtual Task<std::vector<std::string>> registrations() = 0;

  // Registers, or changes what is registered under that name. Yields what was written.
  // Code::invalid_params says what is wrong with it.
  virtual Task<std::string> put_registration(std::string registration, Deadline deadline) = 0;
  virtual Task<void> remove_registration(std::string name, Deadline deadline) = 0;
};

// Those that there are, gathered when asked. Called on any worker.
using FindRegistrars = std::function<std::vector<std::shared_ptr<Registrar>>()>;

}  // namespace patchbay::gateway
