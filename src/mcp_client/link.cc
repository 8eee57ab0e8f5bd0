#include "mcp_client/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/discard.h"
#include "json/read.h"
#include "mcp/capabilities.h"
#include "mcp/compose.h"
#include "mcp/log_level.h"
#include "mcp/question.h"
#include "mcp/tasks.h"
#include "mcp_client/input_round.h"

namespace patchbay::upstreams {
namespace {

std::shared_ptr<metrics::Counter> dropped(metrics::Registry& registry, std::string_view upstream,
                                          std::string_view reason) {
  return registry.counter("patchbay_upstream_dropped_total",
                          "Messages of an upstream that were dropped.",
                          metrics::labels({{"upstream", upstream}, {"reason", reason}}));
}

Task<mcp::Reply> failed(Error error) { co_return error; }

// The server may answer with a task only if the client has declared tasks.
bool is_unexpected_task(const gateway::Call& call, const TaskFields& fields,
                        const mcp::Reply& reply) {
  return reply.type == mcp::ResultType::task && reply.from && mcp::info(*reply.from).stateless &&
         !fields.declared && call.method.action == mcp::Action::call_tool;
}

// Progress gives the call more time.
bool can_take_longer(const gateway::Call& call) {
  const bool runs = call.method.reach == mcp::Reach::by_name && !call.method.subscribes();
  return runs && call.clock.limit.count() > 0 && call.clock.limit < call.clock.total;
}

// The level that a client has set for its session; the lowest if it never did.
std::string_view level_of(const gateway::Call& call) {
  return mcp::kLogLevels[static_cast<std::size_t>(call.log_level.value_or(0))];
}

}  // namespace

LinkCounters::LinkCounters(metrics::Registry& registry, std::string_view upstream)
    : not_json(dropped(registry, upstream, "not_json")),
      invalid(dropped(registry, upstream, "invalid")),
      unknown_id(dropped(registry, upstream, "unknown_id")),
      late(dropped(registry, upstream, "late")),
      refused(dropped(registry, upstream, "refused")),
      too_many(dropped(registry, upstream, "too_many")),
      queue_time(registry.histogram("patchbay_upstream_queue_seconds",
                                    "How long calls waited before they were sent.",
                                    metrics::labels({{"upstream", upstream}}), metrics::kWait)),
      upstream(upstream) {}

McpLink::McpLink(transport::Channel& channel, Events& events, const LinkCounters& counters,
                 std::string task_prefix, const McpSettings& settings)
    : channel_(channel),
      events_(events),
      counters_(counters),
      protocol_(settings.protocol),
      list_limits_(settings.lists),
      declared_(declared_abilities(settings)),
      requests_progress_(settings.requests_progress),
      notifications_(settings.max_notifications),
      tasks_(*this, std::move(task_prefix), settings.tasks) {}

std::optional<std::uint64_t> McpLink::our_id(std::string_view raw) {
  // Some servers echo a number as a string.
  if (raw.size() > 2 && raw.starts_with('"')) raw = raw.substr(1, raw.size() - 2);
  std::uint64_t id = 0;
  const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), id);
  if (fault != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return id;
}

std::string McpLink::raw_id(std::uint64_t id) const {
  const fmt::format_int digits(id);
  return protocol_.ids == IdType::string ? fmt::format("\"{}\"", digits.c_str()) : digits.str();
}

// Ordinary calls take the last line of ask() and of ask_routed(): one coroutine, exchange().
Task<mcp::Reply> McpLink::ask(const gateway::Call& call, std::string_view target,
                              Deadline& deadline) {
  if (stateless() && call.method.action == mcp::Action::subscribe) {
    return follow(std::string(target), deadline);
  }
  if (stateless() && call.method.action == mcp::Action::unsubscribe) return unfollow(target);
  if (!stateless() && call.request.param("requestState")) {
    return failed({Code::invalid_params, "this requestState was not made here"});
  }
  if (const auto level = level_to_ask(call)) return ask_at_level(call, target, *level, deadline);
  return ask_routed(call, target, deadline);
}

Task<mcp::Reply> McpLink::ask_routed(const gateway::Call& call, std::string_view target,
                                     Deadline& deadline) {
  if (call.method.reach == mcp::Reach::by_task) {
    return tasks_.answer(call, std::string(target), deadline);
  }
  if (has_tasks_ && call.method.action == mcp::Action::call_tool) {
    const auto use = LinkTasks::use_for(call, stateless());
    if (use != LinkTasks::Use::none) return tasks_.call(call, target, use, deadline);
  }
  return exchange(call, target, {}, deadline);
}

Task<mcp::Reply> McpLink::ask_at_level(const gateway::Call& call, std::string_view target,
                                       int level, Deadline& deadline) {
  auto set = co_await want_level(level, deadline);
  if (!set) co_return set.error();
  co_return co_await ask_routed(call, target, deadline);
}

Task<mcp::Reply> McpLink::unfollow(std::string_view uri) {
  if (const auto found = followed_.find(uri); found != followed_.end()) followed_.erase(found);
  co_return mcp::result_reply("{}");
}

Task<mcp::Reply> McpLink::exchange(const gateway::Call& call, std::string_view target,
                                   TaskFields fields, Deadline& deadline) {
  std::string answers;
  for (int round = 0;; ++round) {
    Pending pending;
    auto sent = forward(call, target, fields, answers, pending, deadline);
    if (!sent) co_return sent.error();
    auto answer = co_await pending.answer.wait();
    auto reply = received(pending, std::move(answer));
    call.trace.leave(!reply || reply->is_error || reply->has_failed);
    // The server expects other arguments in headers than in its last list.
    if (reply && reply->is_error && json::member(reply->body, "code") == "-32020") {
      events_.on_items_changed();
    }
    if (reply && is_unexpected_task(call, fields, *reply)) {
      co_return Error{Code::upstream_failed, "the upstream made a task for a client without tasks"};
    }
    // Results that request input are unknown to a client with a session, so the client is asked.
    const bool asks = reply && reply->type == mcp::ResultType::input_required &&
                      !mcp::info(call.revision).stateless;
    if (!asks) co_return reply;
    if (round == kMaxInputRounds) {
      co_return Error{Code::upstream_failed, "the upstream does not stop asking"};
    }
    const Deadline asked_at = here().now();
    const auto left = deadline - asked_at;
    InputRound asked;
    auto given = co_await ask_inputs(call, reply->body, asked, here().now() + call.timeout);
    if (!given && given.error().code == Code::missing_capability) {
      co_return cannot_ask(call, given.error());
    }
    if (!given) co_return given.error();
    gateway::pause_clock(call, here().now() - asked_at);
    deadline = here().now() + left;
    answers = *std::move(given);
  }
}

Result<void> McpLink::forward(const gateway::Call& call, std::string_view target,
                              const TaskFields& fields, std::string_view answers, Pending& pending,
                              Deadline deadline) {
  pending.call = &call;
  pending.id = next_id_++;
  if (call.method.reach == mcp::Reach::by_task) pending.task = target;
  pending.repeatable = pending.task.empty();
  call.trace.begin_attempt();
  if (const auto& [host, port] = channel_.server(); call.trace.is_traced() && !host.empty()) {
    call.trace.set_target({.server = host, .port = port});
  }
  const trace::SentContext context = call.trace.for_upstream();
  const bool has_session = !mcp::info(call.revision).stateless;
  const std::string capabilities = stateless() ? capabilities_of(&call, fields.declared) : "";
  const std::string raw = raw_id(pending.id);
  std::string text =
      mcp::forward(call.request, {.id = raw,
                                  .target_key = call.method.target,
                                  .target = target,
                                  .to = revision_,
                                  .task = fields.task,
                                  .context = call.trace.replaces_meta() ? &context : nullptr,
                                  .progress = requests_progress_ && can_take_longer(call),
                                  .capabilities = capabilities,
                                  .log_level = has_session ? level_of(call) : "",
                                  .answers = answers});
  std::string headers;
  if (stateless() && call.param_headers && !call.param_headers->empty()) {
    const auto* const arguments = call.request.param("arguments");
    headers = mcp::header_lines(*call.param_headers, arguments ? arguments->raw : "");
  }
  const bool named = call.method.reach == mcp::Reach::by_name || !pending.task.empty();
  const transport::Sending how{.id = pending.id,
                               .method = call.request.method,
                               .name = named ? target : "",
                               .fields = headers,
                               .context = &context,
                               .revision = revision_};
  return send(std::move(text), how, pending, deadline);
}

Result<void> McpLink::send(std::string text, const transport::Sending& how, Pending& pending,
                           Deadline deadline) {
  if (spare_) {
    spare_.key() = pending.id;
    spare_.mapped() = &pending;
    pending_.insert(std::move(spare_));
  } else {
    pending_.emplace(pending.id, &pending);
  }
  auto sent = channel_.send(std::move(text), how);
  if (sent) {
    pending.start_clock(deadline);
  } else {
    spare_ = pending_.extract(pending.id);
  }
  return sent;
}

Result<mcp::Reply> McpLink::received(Pending& pending, Result<mcp::Reply> answer) {
  pending.stop_clock();
  spare_ = pending_.extract(pending.id);
  if (answer) return answer;
  const Code why = answer.error().code;
  const bool goes_on = why == Code::timeout || why == Code::cancelled || why == kRefusedQuestion;
  if (!goes_on) return answer;
  const bool late = why == Code::timeout;
  if (!channel_.abandon(pending.id) && !pending.handshake) {
    auto sent =
        channel_.send(mcp::cancelled(raw_id(pending.id), late ? "deadline passed" : "cancelled"),
                      {.method = "notifications/cancelled", .revision = revision_});
    discard(sent, "if the server has gone, on_closed() follows");
  }
  if (late) return Error{Code::timeout, "the upstream did not answer in time"};
  return answer;
}

void McpLink::fail_all(const Error& error) {
  for (const auto& [id, pending] : pending_) pending->answer.deliver(error);
}

void McpLink::on_message(std::string_view text, std::uint64_t cause) {
  take_message(text, cause, nullptr);
}

void McpLink::on_whole_message(std::string text, std::uint64_t cause) {
  take_message(text, cause, &text);
}

// `memory`, if given, holds the text and may be taken over.
void McpLink::take_message(std::string_view text, std::uint64_t cause, std::string* memory) {
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) {
    const bool json = parsed.error().code != Code::parse_error;
    (json ? counters_.invalid : counters_.not_json)->add();
    // A malformed answer to one of our requests is still its only answer.
    if (auto* const asked = message.method.empty() ? find_pending(message.id) : nullptr) {
      asked->answer.deliver(Error{Code::upstream_failed, "the upstream sent a malformed answer: " +
                                                             parsed.error().message});
    }
    return;
  }
  switch (message.kind) {
    case mcp::Message::Kind::response:
      on_response(message, cause, memory);
      break;
    case mcp::Message::Kind::notification:
      on_notification(message, cause);
      break;
    case mcp::Message::Kind::request:
      on_request(message, cause);
      break;
  }
}

void McpLink::on_response(const mcp::Message& message, std::uint64_t cause, std::string* memory) {
  // Servers that cannot read a request answer it without an id.
  Pending* const asked = message.id.empty() ? find_pending(cause) : find_pending(message.id);
  if (asked) {
    send_waiting_progress(*asked);
    auto reply = memory ? mcp::reply_of(message, *memory) : mcp::reply_of(message);
    reply.from = revision_;
    asked->answer.deliver(std::move(reply));
    return;
  }
  const auto id = our_id(message.id);
  const bool once_asked = id && *id > 0 && *id < next_id_;
  (once_asked ? counters_.late : counters_.unknown_id)->add();
}

McpLink::Pending* McpLink::find_pending(std::string_view raw_id) {
  const auto id = our_id(raw_id);
  return id ? find_pending(*id) : nullptr;
}

McpLink::Pending* McpLink::find_pending(std::uint64_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second->answer.delivered()) return nullptr;
  return found->second;
}

bool McpLink::awaits(std::uint64_t id) const {
  const auto found = pending_.find(id);
  return found != pending_.end() && !found->second->answer.delivered();
}

void McpLink::on_lost(std::uint64_t id, const Error& why) {
  if (Pending* const asked = find_pending(id)) asked->answer.deliver(why);
}

void McpLink::answer(std::string_view id, const mcp::Reply& reply) {
  auto sent = channel_.send(mcp::response(id, reply), {.revision = revision_});
  discard(sent, "if the server has gone, on_closed() follows");
}

McpLink::Pending* McpLink::call_of(std::uint64_t cause, std::string_view task) {
  if (Pending* const asked = cause != 0 ? find_pending(cause) : nullptr) {
    return asked->call ? asked : nullptr;
  }
  for (const auto& [id, pending] : pending_) {
    const bool waits = pending->call && !pending->answer.delivered();
    if (waits && !task.empty() && pending->task == task) return pending;
  }
  // A call that waits for its client is unlikely to cause further messages.
  Pending* const speaking = only_client([](const Pending& one) { return one.questions() == 0; });
  if (speaking) return speaking;
  Pending* const only = only_client([](const Pending&) { return true; });
  return only ? only : only_present_client();
}

// The only client that is still there, the others being of the same caller: nothing of one caller
// reaches another.
McpLink::Pending* McpLink::only_present_client() {
  Pending* const present = only_client([](const Pending& one) { return !one.call->abandoned; });
  if (!present) return nullptr;
  const auto of_another = [present](const auto& one) {
    return one.second->call && one.second->call->caller->id != present->call->caller->id;
  };
  return std::ranges::any_of(pending_, of_another) ? nullptr : present;
}

template <class Fits>
McpLink::Pending* McpLink::only_client(Fits fits) {
  Pending* latest = nullptr;
  for (const auto& [id, pending] : pending_) {
    if (!pending->call || pending->answer.delivered() || !fits(*pending)) continue;
    if (!pending->task.empty()) continue;  // A message of a task names the task.
    const auto session = pending->call->session;
    if (latest && (session.empty() || session != latest->call->session)) return nullptr;
    if (!latest || pending->id > latest->id) latest = pending;
  }
  return latest;
}

void McpLink::on_closed(const std::string& why) {
  closed_ = true;
  fail_all({Code::upstream_failed, "the upstream was lost: " + why});
  events_.on_link_closed(why);
}

}  // namespace patchbay::upstreams
