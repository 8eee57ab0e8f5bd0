// The log fields of each run in a sandbox: the limits that were in effect, and how it ended.
//
// Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/process/child.h"
#include "observe/log.h"
#include "sandbox/cgroup.h"

namespace patchbay::upstreams {

// Adds the limits of a sandbox, and the names of those that are not set.
log::Line& add_limits(log::Line& line, const sandbox::Limits& limits,
                      const std::vector<std::string>& absent);

// How a program that ran alone in its sandbox has ended: exit, signal, memory, pids.
std::string_view verdict_on(const net::Ending& ending, const sandbox::Usage& usage);

}  // namespace patchbay::upstreams
