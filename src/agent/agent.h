// The Agent listens on the configured sockets and serves every peer that connects: a host that runs
// programs and moves files on the agent's machine.
//
// run_agent() makes a loop for the calling thread, which must be the process's first.
#pragma once

#include "agent/settings.h"
#include "core/result.h"

namespace patchbay::agent {

// Serves until SIGTERM or SIGINT, or until the peer on stdio has ended. Ends everything that was
// started. An error means that it could not start.
Result<void> run_agent(const Settings& settings);

}  // namespace patchbay::agent
