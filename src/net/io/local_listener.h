// Listening for programs of this machine, or of the host of a virtual machine: a Unix socket, or a
// vsock port; and accepting, one connection at a time.
//
// Confined to the thread of the loop that waits.
#pragma once

#include <string>

#include "async/task.h"
#include "net/io/fd.h"
#include "net/io/source.h"

namespace patchbay::net {

// A socket at `path` that only its owner may use. One left by a program that has exited is
// replaced; one that is in use is not.
Result<Fd> listen_unix(const std::string& path);

// `port` of this machine, for every host that reaches it over vsock.
Result<Fd> listen_vsock(unsigned port);

// The next connection. Waits while there is none, and a moment when descriptors have run out.
Task<Fd> accept_next(Source& listener);

}  // namespace patchbay::net
