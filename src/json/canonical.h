// One text for each JSON value, however it was written: members sorted by key, no white space, one
// form of each string and number. Close to RFC 8785, but numbers keep every digit: two different
// numbers never become the same. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::json {

// Fails on text that is not JSON, is beyond the limits of an Index, has a duplicate key, or
// contains an unpaired surrogate: readers disagree about their meaning.
Result<std::string> canonical(std::string_view text);

}  // namespace patchbay::json
