// Requests to the system about this process.
#pragma once

namespace patchbay::app {

// Keeps other programs of the same user out of our memory, which contains credentials: they cannot
// read or trace this process, and it writes no core file. Programs that we start are not affected,
// except that they write no core files either. Called before the first thread is started.
void protect_process();

// Raises the limit of descriptors as far as the system allows, since every connection is a
// descriptor, and warns if that is too few.
void raise_descriptor_limit(int connections);

}  // namespace patchbay::app
