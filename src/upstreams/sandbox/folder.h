// Folders for sandboxes of engines that need one on disk: made for each, removed with it, and
// removed by the next gateway if this one is killed first.
//
// Plain calls that block: for thread pools.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::upstreams {

// A new folder, for this user only, named after its `kind` and this process.
Result<std::string> make_sandbox_folder(std::string_view kind);

Result<void> remove_sandbox_folder(const std::string& folder);

// Removes those of that kind whose process has exited.
void sweep_sandbox_folders(std::string_view kind);

}  // namespace patchbay::upstreams
