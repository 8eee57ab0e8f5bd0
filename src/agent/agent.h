// The Agent listens where it was told to, and serves whoever connects: a host that wants programs
// run and files moved where the agent is.
//
// run_agent() makes a loop for the calling thread, which must be the process's first.
#pragma once

#include "agent/settings.h"
#include "core/result.h"

namespace patchbay::agent {

// Serves until SIGTERM or SIGINT, or until the peer on stdio has ended. Nothing that was started
// outlives it. An error is why it could not begin.
Result<void> run_agent(const Settings& settings);

}  // namespace patchbay::agent
