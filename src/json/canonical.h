// One text for each JSON value, however it was written: members in the order of their keys, no
// space, one way to write each string and number. Close to RFC 8785, but numbers keep every digit:
// two that differ never become the same. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::json {

// Fails on text that is not JSON, is beyond the limits of an Index, has a key twice, or holds an
// unpaired surrogate: readers disagree about what these mean.
Result<std::string> canonical(std::string_view text);

}  // namespace patchbay::json
