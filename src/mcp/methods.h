// The methods of MCP as rows of a table: where each is answered, which parameter names its target,
// whether it exists with sessions, without, or both, and what else decisions depend on. Adding a
// method is adding a row.
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

// Which of the methods that the gateway answers itself.
enum class Local : std::uint8_t { none, initialize, discover, ping, set_level, listen, cancelled };

// What a routed method does, for the few places that treat it specially.
enum class Action : std::uint8_t {
  none,
  call_tool,
  read_resource,
  subscribe,
  unsubscribe,
  task_get,
  task_result,
  task_update,
  task_cancel,
  task_follow,
  task_unfollow,
};

// Facts about a method; they are combined with |.
inline constexpr unsigned kAlwaysAllowed = 1;  // Rules cannot take it away.
inline constexpr unsigned kInputRounds = 2;    // Stateless: may be answered with `input_required`.
inline constexpr unsigned kCacheHints = 4;     // Stateless: the result has ttlMs and cacheScope.
inline constexpr unsigned kOnlyReads = 8;      // May be repeated if the first outcome is unknown.

struct Method {
  std::string_view name;
  Reach reach;
  Local local;
  std::string_view target;  // The parameter that names the item; also mirrored in Mcp-Name.
  ItemKind item;            // Which kind of item is listed or named; says nothing for `here`.
  bool session_based;       // Exists in the revisions with sessions...
  bool stateless;           // ...and in those without.
  Action action = Action::none;
  unsigned facts = 0;
  Revision since = Revision::v2024_11_05;

  constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
  // Starts or ends a subscription of one resource.
  constexpr bool subscribes() const {
    return action == Action::subscribe || action == Action::unsubscribe;
  }
};

inline constexpr std::array kMethods{
    Method{"initialize", Reach::here, Local::initialize, "", ItemKind::tool, true, false,
           Action::none, kAlwaysAllowed},
    Method{"server/discover", Reach::here, Local::discover, "", ItemKind::tool, false, true,
           Action::none, kAlwaysAllowed | kCacheHints | kOnlyReads},
    Method{"ping", Reach::here, Local::ping, "", ItemKind::tool, true, false, Action::none,
           kAlwaysAllowed | kOnlyReads},
    Method{"logging/setLevel", Reach::here, Local::set_level, "", ItemKind::tool, true, false},
    Method{"subscriptions/listen", Reach::here, Local::listen, "", ItemKind::tool, false, true},
    Method{"tools/list", Reach::catalog, Local::none, "", ItemKind::tool, true, true, Action::none,
           kCacheHints | kOnlyReads},
    Method{"tools/call", Reach::by_name, Local::none, "name", ItemKind::tool, true, true,
           Action::call_tool, kInputRounds},
    Method{"prompts/list", Reach::catalog, Local::none, "", ItemKind::prompt, true, true,
           Action::none, kCacheHints | kOnlyReads},
    Method{"prompts/get", Reach::by_name, Local::none, "name", ItemKind::prompt, true, true,
           Action::none, kInputRounds | kOnlyReads},
    Method{"resources/list", Reach::catalog, Local::none, "", ItemKind::resource, true, true,
           Action::none, kCacheHints | kOnlyReads},
    Method{"resources/templates/list", Reach::catalog, Local::none, "", ItemKind::resource_template,
           true, true, Action::none, kCacheHints | kOnlyReads},
    Method{"resources/read", Reach::by_name, Local::none, "uri", ItemKind::resource, true, true,
           Action::read_resource, kInputRounds | kCacheHints | kOnlyReads},
    Method{"resources/subscribe", Reach::by_name, Local::none, "uri", ItemKind::resource, true,
           false, Action::subscribe},
    Method{"resources/unsubscribe", Reach::by_name, Local::none, "uri", ItemKind::resource, true,
           false, Action::unsubscribe, kAlwaysAllowed},
    Method{"completion/complete", Reach::by_reference, Local::none, "ref", ItemKind::prompt, true,
           true, Action::none, kOnlyReads},
    Method{"tasks/get", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, true,
           Action::task_get, kOnlyReads, Revision::v2025_11_25},
    Method{"tasks/result", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, false,
           Action::task_result, 0, Revision::v2025_11_25},
    Method{"tasks/update", Reach::by_task, Local::none, "taskId", ItemKind::tool, false, true,
           Action::task_update},
    Method{"tasks/cancel", Reach::by_task, Local::none, "taskId", ItemKind::tool, true, true,
           Action::task_cancel, 0, Revision::v2025_11_25},
    Method{"notifications/initialized", Reach::dropped, Local::none, "", ItemKind::tool, true,
           false},
    Method{"initialized", Reach::dropped, Local::none, "", ItemKind::tool, true, false},
    Method{"notifications/cancelled", Reach::here, Local::cancelled, "", ItemKind::tool, true,
           true},
    Method{"notifications/progress", Reach::dropped, Local::none, "", ItemKind::tool, true, false},
    Method{"notifications/roots/list_changed", Reach::dropped, Local::none, "", ItemKind::tool,
           true, false},
};

// Requests that frontends make on behalf of clients that listen: start and end receiving updates of
// a task. No client can send them.
inline constexpr Method kFollowTask{"tasks/follow", Reach::by_task,     Local::none,
                                    "taskId",       ItemKind::tool,     false,
                                    false,          Action::task_follow};
inline constexpr Method kUnfollowTask{
    "tasks/unfollow", Reach::by_task, Local::none, "taskId",
    ItemKind::tool,   false,          false,       Action::task_unfollow};

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

// The same in any revision, for a message that is passed on as it is. What is unknown may do more
// than read.
constexpr bool only_reads(std::string_view name) {
  for (const auto& method : kMethods) {
    if (method.name == name) return method.has(kOnlyReads);
  }
  return false;
}

}  // namespace patchbay::mcp
