// The PinService owns the pins of a running gateway. It opens the file in the state folder, if
// there is one, and is notified when a change is accepted there.
//
// Lives on the control thread.
#pragma once

#include <functional>
#include <optional>

#include "app/settings.h"
#include "net/process/file_watch.h"
#include "policy/pins/pins.h"

namespace patchbay::app {

class PinService {
 public:
  // Calls `accepted` when the accepted definitions have changed. Called once, before pins() is
  // used.
  Result<void> open(const Settings& settings, std::function<void()> accepted);

  policy::Pins& pins() { return *pins_; }

  // Ends the notifications.
  void close() { watch_.reset(); }

 private:
  std::optional<policy::Pins> pins_;
  std::optional<net::FileWatch> watch_;
};

}  // namespace patchbay::app
