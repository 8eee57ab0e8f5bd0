// Requests of a server to the clients of its calls: sampling, elicitation, roots.
#include <algorithm>

#include "gateway/call/trace_context.h"
#include "json/text.h"
#include "mcp/capabilities.h"
#include "mcp/question.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr int kMaxQuestions = 16;  // To one client during one call, at the same time.

}  // namespace

// A server may ask its client during a call. If it does not identify the call, the request is
// forwarded only if the call is unambiguous; otherwise the server gets an error at once.
void McpLink::on_request(const mcp::Message& message, std::uint64_t cause) {
  if (message.method == "ping") {
    answer(message.id, mcp::result_reply("{}"));
    return;
  }
  const std::string task = mcp::related_task(message.raw_params);
  const auto* const known = mcp::find_client_method(message.method);
  Pending* const asked = known ? call_of(cause, task) : nullptr;
  // Servers ask for roots at any time, not only during a call.
  if (known && cause == 0 && task.empty() && known->capability != "roots") events_.on_asked();
  if (known && !asked) return refuse_question(message);
  if (!asked || asked->questions() == kMaxQuestions) {
    counters_.refused->add();
    answer(message.id, mcp::error_reply({Code::method_not_found, "no client can be asked this"}));
    return;
  }
  if (declared_too_much(*asked, message)) {
    counters_.refused->add();
    answer(message.id, mcp::error_reply({Code::method_not_found, "the client cannot do this"}));
    if (may_begin_again(*asked, message.method, cause)) {
      asked->answer.deliver(Error{kRefusedQuestion, "the client cannot do what the server asks for",
                                  json::quote(message.method)});
    } else {
      // If the call fails now, its client receives the missing capability.
      asked->call->missing = mcp::find_client_method(message.method)->capability;
    }
    return;
  }
  asked->visible = true;
  asked->begin_question(asked->call->timeout);
  const auto traced =
      gateway::begin_question(*asked->call, with_listed_tasks(*asked->call, message.raw_params));
  // The answer arrives after the message and its buffer have been freed.
  auto pass_on = [this, alive = liveness_.watch(), number = asked->id, id = std::string(message.id),
                  method = std::string(message.method), task,
                  stage = traced.number](mcp::Reply reply) {
    if (alive.expired()) return;
    const bool refused = reply.is_error;
    if (!reply.is_error) reply.body = mcp::answer_for(revision_, method, reply.body);
    if (!reply.is_error && !task.empty()) reply.body = mcp::with_related_task(reply.body, task);
    answer(id, reply);
    if (const auto found = pending_.find(number); found != pending_.end()) {
      found->second->end_question();
      found->second->call->trace.end_question(stage, refused);
    }
  };
  gateway::ask(*asked->call, message.method, traced.params, std::move(pass_on));
}

// No client can be asked: no call runs, or calls of several clients do.
void McpLink::refuse_question(const mcp::Message& message) {
  counters_.refused->add();
  const bool several = std::ranges::any_of(
      pending_, [](const auto& one) { return one.second->call && one.second->task.empty(); });
  if (!several) {
    answer(message.id, mcp::error_reply({Code::method_not_found, "no client can be asked this"}));
    return;
  }
  constexpr std::string_view kWhy =
      "several clients have calls running on this connection, so it is unknown whom to ask; "
      "`isolation: per-session` of the upstream gives each session its own";
  answer(message.id, mcp::error_reply({Code::method_not_found, std::string(kWhy)}));
  if (std::exchange(logged_refusal_, true)) return;
  log::Line(log::Level::warn, "question of an upstream refused")
      .add("upstream", counters_.upstream)
      .add("method", message.method)
      .add("why", kWhy);
}

// A call that has already had an effect is not repeated. Servers ask for roots at any time, so a
// request for roots counts only if the server identifies the call.
bool McpLink::may_begin_again(const Pending& asked, std::string_view method, std::uint64_t cause) {
  return !asked.visible && (cause != 0 || method != "roots/list");
}

// Only for clients without a session: others declare their capabilities once, and their servers
// receive an answer to each question.
bool McpLink::declared_too_much(const Pending& asked, const mcp::Message& question) const {
  const gateway::Call& call = *asked.call;
  if (stateless() || !asked.repeatable || !mcp::info(call.revision).stateless) return false;
  const auto* const known = mcp::find_client_method(question.method);
  const auto can = mcp::abilities_of(call.revision, call.capabilities);
  const unsigned lacking = mcp::bits_of(declared_) & ~mcp::bits_of(can);
  if ((mcp::bits_of_capability(known->capability) & lacking) == 0) return false;
  return !mcp::question_for(call.revision, call.capabilities, question.method, question.raw_params);
}

}  // namespace patchbay::upstreams
