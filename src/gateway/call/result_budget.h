// How large the results of tools may be, and what becomes of a result that is larger.
//
// Values and a function; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "gateway/call/call.h"
#include "gateway/call/stored_results.h"

namespace patchbay::gateway {

struct ResultBudget {
  std::vector<std::string> of;  // Patterns over upstream.tool; none: all tools.
  config::Bytes most{1 << 20};
};

// Of the first row that names the tool; none: any size.
std::optional<std::size_t> budget_of(const std::vector<ResultBudget>& rows, std::string_view tool);

// Keeps the result and puts a link in its place. `promised` says that the tool has an output
// schema, which a link cannot fit: then the result says that the call failed, as clients that
// check results would otherwise have to.
mcp::Reply stored_instead(const Call& call, const mcp::Reply& reply, std::size_t most,
                          bool promised, StoredResults& results);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
inline constexpr auto config::fields<gateway::ResultBudget> = std::tuple{
    Field{"tools", &gateway::ResultBudget::of,
          "Patterns of tools, as upstream.tool. Absent: all tools.", Alias{"of"}},
    Field{"max_size", &gateway::ResultBudget::most,
          "Maximum size of a result. A larger one is stored and replaced by a link to read it in "
          "pages.",
          Range{Bytes{1024}, Bytes{1 << 30}}, Alias{"most"}},
};

}  // namespace patchbay
