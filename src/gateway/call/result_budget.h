// How large the results of tools may be, and what happens to larger ones.
//
// Values and a function; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "gateway/call/call.h"
#include "gateway/call/stored_results.h"

namespace patchbay::gateway {

struct ResultBudget {
  std::vector<std::string> of;  // Patterns over upstream.tool; none: all tools.
  config::Bytes most{1 << 20};
};

// The limit of the first row that matches the tool; none: any size.
std::optional<std::size_t> budget_of(const std::vector<ResultBudget>& rows, std::string_view tool);

// Stores the result and replaces it by a link. `promised`: the tool has an output schema, which a
// link cannot satisfy. The result then has `isError`, because clients that validate results would
// refuse it otherwise.
mcp::Reply stored_instead(const Call& call, const mcp::Reply& reply, std::size_t most,
                          bool promised, StoredResults& results);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ResultBudget>();

}  // namespace patchbay
