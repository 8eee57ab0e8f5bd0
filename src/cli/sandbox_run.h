// Runs one program in a sandbox and waits for it, for the command line: on a loop of its own, with
// our own stdin, stdout and stderr.
#pragma once

#include <functional>

#include "async/task.h"
#include "config/units.h"
#include "sandbox/settings.h"
#include "sandbox/spec.h"

namespace patchbay::app {

// Runs a task that yields an exit code on a loop of its own, to its end.
Result<int> run_to_end(const std::function<Task<int>()>& make);

// The exit code as a shell has it. `settings` are those of the spec. A timeout of 0 is none;
// otherwise Code::timeout when it is over.
Result<int> run_spec_to_end(sandbox::Spec spec, const sandbox::Settings& settings,
                            config::Duration timeout);

}  // namespace patchbay::app
