// Resolves host names without blocking a worker: getaddrinfo() blocks, so a few threads of the
// process run it, and the answer is posted to the loop that asked. Answers are cached for a short
// while, failures for a shorter one.
//
// Callable on any thread that has an executor. The threads start with the first name that needs
// them and end with the process, which waits for a lookup in progress.
#pragma once

#include <string>
#include <vector>

#include "async/task.h"
#include "async/timers.h"
#include "net/io/address.h"

namespace patchbay::net {

// At least one address, in the order in which they should be tried. Code::unavailable if the name
// is unknown, Code::overloaded if too many lookups are in progress.
Task<std::vector<Address>> look_up(std::string host, int port, Deadline deadline);

}  // namespace patchbay::net
