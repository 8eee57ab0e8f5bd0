// The times of a server in the file of another client. Values only.
#pragma once

#include <string>

#include "app/client_context.h"

namespace patchbay::app {

// Adds those that `entry` gives to `ours`, in our notation. Faults and notes go to `context`.
void add_client_times(config::Node& ours, const config::Node& entry, const std::string& path,
                      const ClientContext& context);

}  // namespace patchbay::app
