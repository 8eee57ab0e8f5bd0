// osqueryi as a child: one run for each query, without a shell, `osqueryi --json SQL`. It is
// started without the denied tables, and without extensions.
//
// Confined to the calling worker.
#pragma once

#include <string>
#include <string_view>

#include "async/task.h"
#include "async/timers.h"
#include "osquery/rows.h"
#include "osquery/settings.h"
#include "osquery/table_policy.h"

namespace patchbay::osquery {

// Runs the statement and yields its rows as text. Code::timeout and Code::too_large: it was
// aborted; Code::unavailable: there is no osqueryi; Code::upstream_failed: it failed.
Task<std::string> ask_osqueryi(const Settings& settings, const TablePolicy& policy,
                               std::string_view sql, Format format, Deadline deadline);

// The outcome of a completed run: its rows, or the error.
Result<std::string> read_output(std::string_view out, std::string_view err, std::string_view exit,
                                const Settings& settings, Format format);

}  // namespace patchbay::osquery
