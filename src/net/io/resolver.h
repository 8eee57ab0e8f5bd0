// Looks host names up without holding a worker up: getaddrinfo() blocks, so a few threads of the
// whole process do that, and the answer comes back to the loop that asked. Answers are kept for a
// short while, failures for a shorter one.
//
// Callable on any thread that has an executor. The threads begin with the first name that needs
// them and end with the process, which waits for a look-up that is under way.
#pragma once

#include <string>
#include <vector>

#include "async/task.h"
#include "net/io/socket.h"

namespace patchbay::net {

// At least one address, in the order in which they should be tried. Code::unavailable if the name
// is not known, Code::overloaded if too many names are being looked up.
Task<std::vector<Address>> look_up(std::string host, int port, Deadline deadline);

}  // namespace patchbay::net
