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
  by_name,       // Sent to the one upstream that has the item named by a parameter.
  by_reference,  // The same, but the parameter is an object that states the kind of the item.
  by_task,       // Sent to the one upstream that has the task named by a parameter.
  dropped,       // A notification that requires nothing of the gateway.
};

// Identifies the methods that the gateway answers itself.
enum class Local : std::uint8_t { none, initialize, discover, ping, set_level, listen, cancelled };

// What a routed method does, for the code that treats some of them specially.
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

// Facts about a method, combined with |.
inline constexpr unsigned kAlwaysAllowed = 1;  // Rules cannot forbid it.
inline constexpr unsigned kInputRounds = 2;    // Stateless: may be answered with `input_required`.
inline constexpr unsigned kCacheHints = 4;     // Stateless: the result has ttlMs and cacheScope.
inline constexpr unsigned kOnlyReads = 8;      // May be repeated if the first outcome is unknown.

struct Method {
  std::string_view name;
  Reach reach;
  Local local;
  std::string_view target;  // The parameter that names the item; also mirrored in Mcp-Name.
  ItemKind item;            // The kind of the listed or named item; meaningless for `here`.
  bool session_based;       // Exists in the session-based revisions...
  bool stateless;           // ...and in the stateless ones.
  Action action = Action::none;
  unsigned facts = 0;
  Revision since = Revision::v2024_11_05;

  constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
  constexpr bool exists_in(Revision revision) const {
    return (info(revision).stateless ? stateless : session_based) && revision >= since;
  }
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
// a task. Clients cannot send them.
inline constexpr Method kFollowTask{"tasks/follow", Reach::by_task,     Local::none,
                                    "taskId",       ItemKind::tool,     false,
                                    false,          Action::task_follow};
inline constexpr Method kUnfollowTask{
    "tasks/unfollow", Reach::by_task, Local::none, "taskId",
    ItemKind::tool,   false,          false,       Action::task_unfollow};

// What a server may request from its client, and since which revision.
struct ClientMethod {
  std::string_view name;
  std::string_view capability;  // The capability that a client declares to answer it.
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

// The row of a method in any revision; null if there is none.
constexpr const Method* find_row(std::string_view name) {
  for (const auto& method : kMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

constexpr const Method* find_method(std::string_view name, Revision revision) {
  const auto* const row = find_row(name);
  return row && row->exists_in(revision) ? row : nullptr;
}

constexpr Local local_of(std::string_view name) {
  const auto* const row = find_row(name);
  return row ? row->local : Local::none;
}

constexpr Action action_of(std::string_view name) {
  const auto* const row = find_row(name);
  return row ? row->action : Action::none;
}

// For a message that is forwarded unchanged. An unknown method may do more than read.
constexpr bool only_reads(std::string_view name) {
  const auto* const row = find_row(name);
  return row && row->has(kOnlyReads);
}

}  // namespace patchbay::mcp
