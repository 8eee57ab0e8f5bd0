#include "frontends/mcp/subscriber.h"

#include <fmt/format.h>

#include "core/discard.h"
#include "frontends/synthetic_request.h"
#include "gateway/call/make_call.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/tasks.h"

namespace patchbay::frontends {

std::string subscribed_uri(const mcp::Message& request) {
  const auto* const uri = request.param("uri");
  return uri ? json::as_string(uri->raw).value_or("") : "";
}

std::optional<mcp::Reply> answered_by_set(const Subscriber& subscriber, const gateway::Call& call) {
  if (!call.method.subscribes()) return std::nullopt;
  const bool joins = call.method.action == mcp::Action::subscribe;
  const std::string uri = subscribed_uri(call.request);
  if (uri.empty() || subscriber.wants(uri) != joins) return std::nullopt;
  return mcp::result_reply("{}");
}

void note_subscription(Subscriber& subscriber, const gateway::Call& call, const mcp::Reply& reply) {
  if (reply.is_error || !call.method.subscribes()) return;
  const std::string uri = subscribed_uri(call.request);
  if (call.method.action == mcp::Action::subscribe) {
    subscriber.add(uri);
  } else {
    subscriber.remove(uri);
  }
}

Task<mcp::Reply> subscribe(gateway::McpServer& server, gateway::CallOrigin caller,
                           std::string_view method, const std::string& uri) {
  SyntheticRequest request(method, "0");
  request.add_text("uri", uri);
  gateway::SilentPeer client;
  auto call = gateway::make_call({.request = request.message(),
                                  .method = *mcp::find_method(method, mcp::kNewestSessionBased),
                                  .revision = mcp::kNewestSessionBased,
                                  .frontend = caller.frontend,
                                  .caller = caller.caller,
                                  .from = caller.from,
                                  .client = client,
                                  .deadline = server.deadline(),
                                  .bytes_in = request.size()});
  co_return co_await server.answer(call);
}

Task<void> unsubscribe_all(gateway::McpServer& server, gateway::CallOrigin caller,
                           Subscriber& subscriber) {
  for (const auto& uri : subscriber.take_all()) {
    auto done = co_await subscribe(server, caller, "resources/unsubscribe", uri);
    discard(done, "an upstream that is down has no subscription");
  }
  co_return ok();
}

void note_task(gateway::FollowedTasks& followed, const gateway::Call& call,
               const mcp::Reply& reply) {
  if (!reply.task) return;
  const auto task = json::member(reply.body, "task").value_or("{}");
  if (auto listed = json::string_member(task, "taskId")) {
    followed.add(mcp::listed_task(call.upstream, *reply.task), *std::move(listed));
  }
}

std::string task_message(gateway::FollowedTasks& followed, const std::string& upstream,
                         const gateway::TaskUpdate& update) {
  if (update.session.empty()) return "";
  const std::string key = mcp::listed_task(upstream, update.id);
  const std::string listed = followed.find(key);
  if (listed.empty()) return "";
  if (update.final) followed.remove(key);
  const auto rename = [&listed](std::string_view) { return listed; };
  return mcp::notification("notifications/tasks/status",
                           mcp::with_task_ids(update.session, rename));
}

Task<mcp::Reply> follow(gateway::McpServer& server, gateway::CallOrigin caller,
                        const mcp::Method& method, const mcp::Message& request,
                        const std::string& listed, std::string& upstream) {
  SyntheticRequest about_task(method.name, "0");
  about_task.add_text("taskId", listed);
  gateway::SilentPeer client;
  auto call = gateway::make_call({.request = about_task.message(),
                                  .method = method,
                                  .revision = mcp::kNewest,
                                  .frontend = caller.frontend,
                                  .caller = caller.caller,
                                  .from = caller.from,
                                  .client = client,
                                  .deadline = server.deadline(),
                                  .bytes_in = about_task.size(),
                                  .capabilities = gateway::declared_capabilities(request)});
  auto reply = co_await server.answer(call);
  upstream = call.upstream;
  co_return reply;
}

std::string updated_params(std::string_view uri) {
  return fmt::format("{{\"uri\":{}}}", json::quote(uri));
}

}  // namespace patchbay::frontends
