// Checks whether this machine has what an upstream needs: the program and its interpreter, or the
// isolation for sandboxes.
//
// Values only.
#pragma once

#include <functional>
#include <string>

#include "app/upstream_entries.h"
#include "core/result.h"

namespace patchbay::app {

// Checks when it is called, and may block; null: the upstream needs nothing of this machine.
using ExamineUpstream = std::function<Result<void>()>;

// REQUIRES: the entry has no faults. `own` are the settings of its kind.
ExamineUpstream examine_upstream(const UpstreamEntry& entry, const config::Node& own,
                                 const std::string& file);

}  // namespace patchbay::app
