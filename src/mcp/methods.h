// The methods of MCP as rows of a table: where each is answered, which parameter names its target,
// in which eras it exists. Adding a method is adding a row.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "mcp/revision.h"

namespace patchbay::mcp {

enum class Reach : std::uint8_t {
  here,     // Answered by the gateway itself.
  catalog,  // Answered from what all upstreams offer, merged.
  by_name,  // Sent to the one upstream that a parameter points to.
  dropped,  // A notification that asks nothing of us.
};

// The ones the gateway answers itself are told apart by this.
enum class Local : std::uint8_t { none, initialize, discover, ping, cancelled };

struct Method {
  std::string_view name;
  Reach reach;
  Local local;
  std::string_view target;  // The parameter that names the target; also mirrored in Mcp-Name.
  std::string_view list;    // The member of the result that is the merged list.
  bool legacy;              // Exists in the revisions with sessions...
  bool modern;              // ...and in those without.
};

inline constexpr std::array kMethods{
    Method{"initialize", Reach::here, Local::initialize, "", "", true, false},
    Method{"server/discover", Reach::here, Local::discover, "", "", false, true},
    Method{"ping", Reach::here, Local::ping, "", "", true, false},
    Method{"tools/list", Reach::catalog, Local::none, "", "tools", true, true},
    Method{"tools/call", Reach::by_name, Local::none, "name", "", true, true},
    Method{"notifications/initialized", Reach::dropped, Local::none, "", "", true, false},
    Method{"initialized", Reach::dropped, Local::none, "", "", true, false},
    Method{"notifications/cancelled", Reach::here, Local::cancelled, "", "", true, true},
    Method{"notifications/progress", Reach::dropped, Local::none, "", "", true, false},
    Method{"notifications/roots/list_changed", Reach::dropped, Local::none, "", "", true, false},
};

constexpr const Method* find_method(std::string_view name, Revision revision) {
  for (const auto& method : kMethods) {
    if (method.name == name) {
      return (info(revision).modern ? method.modern : method.legacy) ? &method : nullptr;
    }
  }
  return nullptr;
}

}  // namespace patchbay::mcp
