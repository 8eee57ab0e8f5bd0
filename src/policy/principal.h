// A Principal is who makes a call, as far as the gateway knows. Values only.
#pragma once

#include <string>

namespace patchbay::policy {

struct Principal {
  std::string name = "local";  // Whoever can reach a loopback listener.
};

}  // namespace patchbay::policy
