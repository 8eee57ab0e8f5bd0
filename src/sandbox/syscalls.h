// The system calls that a sandboxed program may make, as a seccomp filter: an allowlist. Calls
// known to be dangerous are refused with EPERM; all others do not exist (ENOSYS), so that libraries
// fall back. Calls by the numbers of another architecture kill the program.
//
// Plain calls, for any thread.
#pragma once

#include "core/result.h"
#include "net/io/fd.h"

namespace patchbay::sandbox {

// The compiled filter, in memory: each reader opens it anew. Made once, which takes some
// milliseconds, for all sandboxes.
const Result<net::Fd>& syscall_filter();

}  // namespace patchbay::sandbox
