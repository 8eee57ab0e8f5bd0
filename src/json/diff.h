// The differences of two JSON values: the members that were added, removed or changed, down to the
// innermost. Arrays differ as a whole. Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::json {

struct Difference {
  std::string pointer;  // A JSON pointer.
  std::string before;   // Raw; empty: added.
  std::string after;    // Raw; empty: removed.
};

// At most `most` differences, in the order of `before`, then of `after`. An unreadable text is one
// difference as a whole.
std::vector<Difference> differences(std::string_view before, std::string_view after,
                                    std::size_t most);

}  // namespace patchbay::json
