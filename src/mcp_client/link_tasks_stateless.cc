// Tasks of a session-based server for clients without a session, and updates of tasks.
#include <fmt/format.h>

#include "core/discard.h"
#include "json/edit.h"
#include "json/read.h"
#include "mcp_client/link_tasks.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kAskedSoon =
    std::chrono::milliseconds(500);                // After a task has reported that it needs input.
constexpr auto kLook = std::chrono::seconds(30);   // Between our own polls of a task.
constexpr auto kLongest = std::chrono::hours(24);  // How long a task is followed.

// The state of a task without members that concern only its transport.
std::string bare(std::string_view state) {
  json::Edit edit(state);
  edit.members(
      [&](std::string_view key) { return edit.keep_if(key != "_meta" && key != "resultType"); });
  return edit.changed() ? edit.result() : std::string(state);
}

}  // namespace

Task<mcp::Reply> LinkTasks::answer_stateless(const gateway::Call& call, const std::string& id,
                                             Deadline deadline) {
  if (call.method.action == mcp::Action::task_cancel) {
    co_return co_await cancel_for_stateless(call, id, deadline);
  }
  if (call.method.action == mcp::Action::task_get) {
    const Follower client{1, std::string(call.capabilities), call.timeout};
    auto reply = co_await details(&call, id, client, deadline);
    co_return reply ? with_listed(call, *std::move(reply)) : std::move(reply);
  }
  const auto* const responses = call.request.param("inputResponses");
  if (!responses || !responses->raw.starts_with('{')) {
    co_return Error{Code::invalid_params, "'inputResponses' must be an object"};
  }
  if (const auto found = proxied_.find(id); found != proxied_.end()) {
    found->second->take_answers(responses->raw);
    co_return mcp::result_reply("{}");
  }
  // There is no question; but does the task exist?
  auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
  if (!state || state->is_error) co_return state;
  co_return mcp::result_reply("{}");
}

// In the stateless revision, cancelling a task that has ended is not an error.
Task<mcp::Reply> LinkTasks::cancel_for_stateless(const gateway::Call& call, const std::string& id,
                                                 Deadline deadline) {
  auto cancelled = co_await link_.ask_about(&call, "tasks/cancel", id, "", deadline);
  if (!cancelled) co_return cancelled;
  if (cancelled->is_error) {
    auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
    if (!state || state->is_error) co_return state;
    if (!mcp::is_final(mcp::task_status(state->body))) co_return cancelled;
  }
  co_return mcp::result_reply("{}");
}

// The state of a task with the members that the stateless revision includes.
Task<mcp::Reply> LinkTasks::details(const gateway::Call* call, const std::string& id,
                                    const Follower& client, Deadline deadline) {
  auto state = co_await link_.ask_about(call, "tasks/get", id, "", deadline);
  if (!state || state->is_error) co_return state;
  const std::string status = mcp::task_status(state->body);
  std::string text;
  if (status == "completed" || status == "failed") {
    auto outcome = co_await link_.ask_about(call, "tasks/result", id, "", deadline);
    if (!outcome) co_return outcome.error();
    text = mcp::stateless_task(state->body, {.outcome = &*outcome});
  } else if (status == "input_required") {
    auto proxied = attend(id, client);
    if (!proxied) co_return proxied.error();
    auto asked = co_await (*proxied)->wait_asked(std::min(deadline, here().now() + kAskedSoon));
    if (!asked && asked.error().code == Code::cancelled) co_return asked.error();
    const std::string requests = (*proxied)->requests();
    text = mcp::stateless_task(state->body, {.input_requests = requests});
  } else {
    text = mcp::stateless_task(state->body, {});
  }
  co_return mcp::scanned_reply(std::move(text));
}

Result<std::shared_ptr<ProxiedTask>> LinkTasks::attend(const std::string& id,
                                                       const Follower& client) {
  if (const auto found = proxied_.find(id); found != proxied_.end()) return found->second;
  if (proxied_.size() >= static_cast<std::size_t>(settings_.most)) {
    return Error{Code::overloaded, "too many tasks wait for input"};
  }
  auto made = std::make_shared<ProxiedTask>(id, client.capabilities, client.timeout);
  proxied_.emplace(id, made);
  scope_.spawn(run_proxied(made));
  return made;
}

Task<void> LinkTasks::run_proxied(std::shared_ptr<ProxiedTask> task) {
  auto ended = co_await link_.ask_about(&task->call(), "tasks/result", task->id(), "",
                                        here().now() + kLongest);
  discard(ended, "the status of the task has its outcome");
  // Its state is fetched again when a client asks for it.
  task->end();
  proxied_.erase(task->id());
  co_return ok();
}

Task<mcp::Reply> LinkTasks::follow(const gateway::Call& call, const std::string& id,
                                   Deadline deadline) {
  if (!link_.has_tasks()) co_return Error{Code::not_found, "there is no such task any more"};
  if (!followed_.contains(id) && followed_.size() >= static_cast<std::size_t>(settings_.most)) {
    co_return Error{Code::overloaded, "too many tasks are followed"};
  }
  auto state = co_await link_.ask_about(&call, "tasks/get", id, "", deadline);
  if (!state || state->is_error) co_return state;
  Follower& follower = followed_[id];
  ++follower.count;
  follower.capabilities = call.capabilities;
  follower.timeout = call.timeout;
  if (stateless()) {
    auto subscribed = co_await link_.subscribe_followed(deadline);
    if (!subscribed) {
      unfollow(id);
      co_return subscribed.error();
    }
  }
  auto done = mcp::result_reply("{}");
  done.task = upstream_id(id);
  co_return done;
}

mcp::Reply LinkTasks::unfollow(const std::string& id) {
  const auto found = followed_.find(id);
  if (found != followed_.end() && --found->second.count == 0) followed_.erase(found);
  return mcp::result_reply("{}");
}

Task<void> LinkTasks::follow_for_session(std::string id, Deadline until) {
  std::erase_if(of_sessions_, [](const auto& one) { return one.second < here().now(); });
  if (of_sessions_.size() >= static_cast<std::size_t>(settings_.most)) co_return ok();
  of_sessions_.emplace(id, until);
  auto subscribed = co_await link_.subscribe_followed(here().now() + kLook);
  if (!subscribed) of_sessions_.erase(id);  // The session must poll it itself.
  co_return ok();
}

std::set<std::string> LinkTasks::subscribed_tasks() const {
  std::set<std::string> ids;
  for (const auto& [id, follower] : followed_) ids.insert(id);
  for (const auto& [id, until] : of_sessions_) ids.insert(id);
  return ids;
}

void LinkTasks::on_status(const mcp::Message& notification) {
  const auto* const named = notification.param("taskId");
  const auto id = named ? json::as_string(named->raw) : std::nullopt;
  if (!id) return;
  gateway::TaskUpdate update;
  update.id = upstream_id(*id);
  update.final = mcp::is_final(mcp::task_status(notification.raw_params));
  if (stateless()) {
    update.stateless = bare(notification.raw_params);
    update.session = mcp::session_task(update.stateless);
    if (update.final) of_sessions_.erase(*id);
  } else {
    update.session = bare(notification.raw_params);
    // The stateless form includes more members, which must be fetched.
    look_at(*id);
  }
  link_.on_task(update);
}

void LinkTasks::on_missed() {
  for (const auto& [id, follower] : followed_) look_at(id);
}

// One poll at a time; an update that arrives meanwhile causes one more.
void LinkTasks::look_at(const std::string& id) {
  const auto found = followed_.find(id);
  if (found == followed_.end()) return;
  found->second.look_again = true;
  if (!found->second.looking) scope_.spawn(look(id));
}

Task<void> LinkTasks::look(std::string id) {
  for (;;) {
    const auto found = followed_.find(id);
    if (found == followed_.end()) co_return ok();
    found->second.looking = std::exchange(found->second.look_again, false);
    if (!found->second.looking) co_return ok();
    auto notified = co_await notify_details(id, found->second);
    if (!notified) co_return notified;
  }
}

Task<void> LinkTasks::notify_details(const std::string& id, Follower client) {
  const Deadline deadline = here().now() + kLook;
  auto looking = stateless() ? link_.ask_about(nullptr, "tasks/get", id, "", deadline)
                             : details(nullptr, id, client, deadline);
  auto state = co_await looking;
  if (!state && state.error().code == Code::cancelled) co_return state.error();
  if (!state || state->is_error)
    co_return ok();  // It no longer exists, so there is nothing to report.
  gateway::TaskUpdate update;
  update.id = upstream_id(id);
  update.final = mcp::is_final(mcp::task_status(state->body));
  update.stateless = bare(state->body);
  link_.on_task(update);
  co_return ok();
}

}  // namespace patchbay::upstreams
