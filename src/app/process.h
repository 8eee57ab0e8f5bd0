// What the process asks of the system about itself.
#pragma once

#include <cstdint>

namespace patchbay::app {

// Keeps other programs of the same user out of our memory, where credentials are: they can neither
// read it nor trace us, and no core file is written. Programs that we start are not affected, but
// write no core files either. Before the first thread is started.
void protect_process();

// Every connection is a descriptor: takes as many as the system lets us have, and warns if that is
// too few.
void raise_descriptor_limit(int connections);

// Memory in use. Callable on any thread.
std::int64_t resident_bytes();

}  // namespace patchbay::app
