// Files of the kernel that are read and written whole: /proc, /sys. Plain calls, for any thread
// that may wait a moment.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::sandbox {

// At most one megabyte.
Result<std::string> read_small(const std::string& path);

// In one write, as the kernel requires. The file must exist.
Result<void> write_small(const std::string& path, std::string_view text);

}  // namespace patchbay::sandbox
