// A Registrar is an upstream whose tools and resources register themselves: it lists the
// registrations and changes them.
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

  // All registrations, each the raw JSON of an object with its `name`, and with `offered` and
  // `problem` in addition to the registered members.
  virtual Task<std::vector<std::string>> registrations() = 0;

  // Registers, or changes the registration of that name. Yields the written record.
  // Code::invalid_params with the reason if it is invalid.
  virtual Task<std::string> put_registration(std::string registration, Deadline deadline) = 0;
  virtual Task<void> remove_registration(std::string name, Deadline deadline) = 0;
};

// The current registrars, collected when called. Called on any worker.
using FindRegistrars = std::function<std::vector<std::shared_ptr<Registrar>>()>;

}  // namespace patchbay::gateway
