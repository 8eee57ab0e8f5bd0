// What the process asks of the system about itself.
#pragma once

#include <cstdint>

namespace patchbay::app {

// Every connection is a descriptor: takes as many as the system lets us have, and warns if that is
// too few.
void raise_descriptor_limit(int connections);

// Memory in use. Callable on any thread.
std::int64_t resident_bytes();

}  // namespace patchbay::app
