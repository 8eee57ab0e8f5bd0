// A list of servers as one text, as older gateways take it:
//
//   calculator:stdio://python calc_server.py, webapi:http://localhost:3000
//
// Entries stand between commas or on lines of their own. A comma that belongs to an entry stands in
// quotes, or behind a backslash. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::app {

struct NamedEndpoint {
  std::string name;
  std::string endpoint;
};

// The entries of the list, each parsed separately: an error in one does not affect the others.
std::vector<Result<NamedEndpoint>> read_server_list(std::string_view text);

// One entry, in which a comma has no special meaning.
Result<NamedEndpoint> read_named_endpoint(std::string_view entry);

}  // namespace patchbay::app
