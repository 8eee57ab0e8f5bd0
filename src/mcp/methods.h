// The methods of MCP as rows of a table: where each is answered, which parameter names its target,
// in which eras it exists. Adding a method is adding a row.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "mcp/items.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

enum class Reach : std::uint8_t {
  here,          // Answered by the gateway itself.
  catalog,       // Answered from what all upstreams offer, merged.
  by_name,       // Sent to the one upstream that has the item a parameter names.
  by_reference,  // The same, where the parameter is an object that says of which kind the item is.
  by_task,       // Sent to the one upstream that has the task a parameter names.
  dropped,       // A notification that asks nothing of us.
};

// The ones the gateway answers itself are told apart by this.
enum class Local : std::uint8_t { none, initialize, discover, ping, set_level, listen, cancelled };

struct Method {
  std::string_view name;
  Reach reach;
  Local local;
  std::string_view target;  // The parameter that names the item; also mirrored in Mcp-Name.
  ItemKind item;            // Which kind of item is listed or named; says nothing for `here`.
  bool session_based;       // Exists in the revisions with sessions...
  bool stateless;           // ...and in those without.
  Revision since = Revision::v2024_11_05;
};

inline constexpr std::array kMethods{
    Method{"initialize", Reach::here, Local::initialize, "", ItemKind::tool, true, false},
    Method{"server/discover", Reach::here, Local::discover, "", ItemKind::tool, false, true},
    Method{"ping", Reach::here, Local::ping, "", ItemKind::tool, true, false},
    Method{"logging/setLevel", Reach::here, Local::set_level, "", ItemKind::tool, true, false},
    Method{"subscriptions/listen", Reach::here, Local::listen, "", ItemKind::tool, false, true},
    Method{"tools/list", Reach::catalog, Local::none, "", ItemKind::tool, true, true},
    Method{"tools/call", Reach::by_name, Local::none, "name", ItemKind::tool, true, true},
    Method{"prompts/list", Reach::catalog, Local::none, "", ItemKind::prompt, true, true},
    Method{"prompts/get", Reach::by_name, Local::none, "name", ItemKind::prompt, true, true},
    Method{"resources/list", Reach::catalog, Local::none, "", ItemKind::resource, true, true},
    Method{"resources/templates/list", Reach::catalog, Local::none, "", ItemKind::resource_template,
           true, true},
    Method{"resources/read", Reach::by_name, Local::none, "uri", ItemKind::resource, true, true},
    Method{"resources/subscribe", Reach::by_name, Local::none, "uri", ItemKind::resource, true,
           false},
    Method{"resources/unsubscribe", Reach::by_name, Local::none, "uri", ItemKind::resource, true,
           false},
    Method{"completion/complete", Reach::by_reference, Local::none, "ref", ItemKind::prompt, true,
           true},
    Method{"tasks/get", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, true,
           Revision::v2025_11_25},
    Method{"tasks/result", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, false,
           Revision::v2025_11_25},
    Method{"tasks/update", Reach::by_task, Local::none, "taskId", ItemKind::tool, false, true},
    Method{"tasks/cancel", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, true,
           Revision::v2025_11_25},
    Method{"notifications/initialized", Reach::dropped, Local::none, "", ItemKind::tool, true,
           false},
    Method{"initialized", Reach::dropped, Local::none, "", ItemKind::tool, true, false},
    Method{"notifications/cancelled", Reach::here, Local::cancelled, "", ItemKind::tool, true,
           true},
    Method{"notifications/progress", Reach::dropped, Local::none, "", ItemKind::tool, true, false},
    Method{"notifications/roots/list_changed", Reach::dropped, Local::none, "", ItemKind::tool,
           true, false},
};

// What front ends ask on behalf of clients that listen, and no client can send: to hear of a task,
// and to hear of it no more.
inline constexpr Method kFollowTask{"tasks/follow", Reach::by_task, Local::none, "taskId",
                                    ItemKind::tool, false,          false};
inline constexpr Method kUnfollowTask{"tasks/unfollow", Reach::by_task, Local::none, "taskId",
                                      ItemKind::tool,   false,          false};

// What a server may ask of its client, and from when on.
struct ClientMethod {
  std::string_view name;
  std::string_view capability;  // What a client that answers it declares.
  Revision since;
};

inline constexpr std::array kClientMethods{
    ClientMethod{"sampling/createMessage", "sampling", Revision::v2024_11_05},
    ClientMethod{"roots/list", "roots", Revision::v2024_11_05},
    ClientMethod{"elicitation/create", "elicitation", Revision::v2025_06_18},
};

constexpr const ClientMethod* find_client_method(std::string_view name) {
  for (const auto& method : kClientMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

constexpr const Method* find_method(std::string_view name, Revision revision) {
  for (const auto& method : kMethods) {
    if (method.name == name) {
      const bool known = info(revision).stateless ? method.stateless : method.session_based;
      return known && revision >= method.since ? &method : nullptr;
    }
  }
  return nullptr;
}

}  // namespace patchbay::mcp
