// What SIGUSR1 does: writes the calls that the flight recorder has stored to a file, or to the log
// if there is no state folder.
//
// The control thread.
#pragma once

#include <string>

#include "core/result.h"
#include "trace/call_histories.h"

namespace patchbay::app {

// The file in the state folder. It is replaced each time.
inline constexpr std::string_view kCallsFile = "calls.jsonl";
inline constexpr std::size_t kMostCallsFile = 64 << 20;  // Bytes; the newest calls that fit.
inline constexpr std::size_t kMostCallsLogged = 100;     // Lines in the log if there is no file.

// Writes one call per line, the oldest first, and logs the file. Only its owner may read the file.
// A link of that name is replaced, not followed.
void dump_calls(const trace::CallHistories& histories, const std::string& state_folder);

}  // namespace patchbay::app
