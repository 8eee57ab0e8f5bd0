#include "frontends/mcp/listening.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/discard.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/items.h"
#include "mcp/tasks.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kMostNamed = 1000;  // Resources or tasks, of one request.

struct Flag {
  std::string_view name;
  mcp::ItemKind kind;
};
constexpr std::array kFlags{
    Flag{"toolsListChanged", mcp::ItemKind::tool},
    Flag{"promptsListChanged", mcp::ItemKind::prompt},
    Flag{"resourcesListChanged", mcp::ItemKind::resource},
};

constexpr std::string_view kResources = "resourceSubscriptions";
constexpr std::string_view kTasks = "taskIds";

bool take_names(std::string_view list, std::vector<std::string>& names) {
  bool good = json::type_of(list) == json::Type::array;
  json::each_element(list, [&](std::string_view raw) {
    auto name = json::as_string(raw);
    good = good && name && names.size() < kMostNamed;
    if (good) names.push_back(*std::move(name));
  });
  return good;
}

bool has_tasks(const mcp::Message& request) {
  return mcp::abilities_of(mcp::kNewest, gateway::declared_capabilities(request)).tasks;
}

Error wrong(std::string message) { return {Code::invalid_params, std::move(message)}; }

}  // namespace

Result<Listening::Filter> Listening::filter_of(const mcp::Message& request) {
  const auto* const given = request.param("notifications");
  if (!given || json::type_of(given->raw) != json::Type::object) {
    return wrong("'notifications' must be an object that selects notifications");
  }
  Filter filter;
  for (const auto& flag : kFlags) {
    const auto raw = json::member(given->raw, flag.name);
    if (!raw) continue;
    const auto wanted = json::as_bool(*raw);
    if (!wanted) return wrong(fmt::format("'{}' must be true or false", flag.name));
    if (*wanted) filter.notifications.push_back(mcp::info(flag.kind).changed);
  }
  for (const auto& [key, names] :
       {std::pair{kResources, &filter.resources}, {kTasks, &filter.tasks}}) {
    const auto list = json::member(given->raw, key);
    if (list && !take_names(*list, *names)) {
      return wrong(fmt::format("'{}' must be a list of at most {} strings", key, kMostNamed));
    }
  }
  if (!filter.tasks.empty() && !has_tasks(request)) {
    return Error{Code::missing_capability,
                 fmt::format("'{}' is for clients that declare the extension {}", kTasks,
                             mcp::kTasksExtension),
                 std::string(mcp::kTasksRequired)};
  }
  return filter;
}

std::string Listening::meta() const {
  return fmt::format("\"_meta\":{{\"{}\":{}}}", mcp::kMetaSubscription, request_.id);
}

Task<void> Listening::begin(Filter filter) {
  notifications_ = std::move(filter.notifications);
  std::string honoured;
  const auto honour = [&](std::string_view name, std::string_view raw) {
    if (!honoured.empty()) honoured += ',';
    honoured += fmt::format("\"{}\":{}", name, raw);
  };
  for (const auto& flag : kFlags) {
    if (std::ranges::find(notifications_, mcp::info(flag.kind).changed) != notifications_.end()) {
      honour(flag.name, "true");
    }
  }
  if (!filter.resources.empty()) {
    auto uris = co_await subscribe_to(std::move(filter.resources));
    if (uris) honour(kResources, *uris);
  }
  if (!filter.tasks.empty()) {
    auto ids = co_await follow_tasks(std::move(filter.tasks));
    if (ids) honour(kTasks, *ids);
  }
  send_(mcp::notification("notifications/subscriptions/acknowledged",
                          fmt::format("{{\"notifications\":{{{}}},{}}}", honoured, meta())));
  begun_ = true;
  co_return ok();
}

Task<std::string> Listening::subscribe_to(std::vector<std::string> uris) {
  std::string list;
  for (const auto& uri : uris) {
    auto subscribed = co_await subscribe(server_, caller_, "resources/subscribe", uri);
    if (!subscribed || subscribed->is_error) continue;
    subscriber_.add(uri);
    list += (list.empty() ? "" : ",") + json::quote(uri);
  }
  co_return "[" + list + "]";
}

Task<std::string> Listening::follow_tasks(std::vector<std::string> ids) {
  std::string list;
  for (const auto& id : ids) {
    std::string upstream;
    auto followed = co_await follow(server_, caller_, mcp::kFollowTask, request_, id, upstream);
    if (!followed || followed->is_error) continue;
    tasks_.emplace(mcp::listed_task(upstream, followed->task.value_or("")), id);
    list += (list.empty() ? "" : ",") + json::quote(id);
  }
  co_return "[" + list + "]";
}

Task<void> Listening::end() {
  for (const auto& [key, id] : std::exchange(tasks_, {})) {
    std::string upstream;
    auto done = co_await follow(server_, caller_, mcp::kUnfollowTask, request_, id, upstream);
    discard(done, "an upstream that is down has no subscription");
  }
  co_return co_await unsubscribe_all(server_, caller_, subscriber_);
}

void Listening::notify_changed(gateway::CatalogChanges& update) {
  if (!begun_) return;
  for (const auto notification : update.of(*caller_.caller)) {
    if (std::ranges::find(notifications_, notification) == notifications_.end()) continue;
    send_(mcp::notification(notification, "{" + meta() + "}"));
  }
}

void Listening::notify_updated(gateway::ResourceUpdate& update) {
  const std::string& uri = update.of(*caller_.caller);
  if (!begun_ || !subscriber_.wants(uri)) return;
  send_(mcp::notification("notifications/resources/updated",
                          fmt::format("{{\"uri\":{},{}}}", json::quote(uri), meta())));
}

void Listening::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  if (!begun_ || update.stateless.empty()) return;
  const auto found = tasks_.find(mcp::listed_task(upstream, update.id));
  if (found == tasks_.end()) return;
  const auto rename = [&found](std::string_view) { return found->second; };
  auto state = mcp::result_reply(mcp::with_task_ids(update.stateless, rename));
  mcp::add_to_result(state, meta());
  send_(mcp::notification("notifications/tasks", state.body));
}

mcp::Reply Listening::last_result() const {
  return mcp::result_reply(fmt::format("{{\"resultType\":\"complete\",{}}}", meta()));
}

}  // namespace patchbay::frontends
