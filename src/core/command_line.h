// A command line as one text. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay {

// Splits arguments like a shell, with quotes and backslashes and nothing else.
Result<std::vector<std::string>> split_args(std::string_view text);

}  // namespace patchbay
