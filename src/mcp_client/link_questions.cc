// What a server asks of the clients of its calls: sampling, elicitation, roots.
#include <algorithm>

#include "json/text.h"
#include "mcp/capabilities.h"
#include "mcp/question.h"
#include "mcp/tasks.h"
#include "mcp_client/link.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr int kMaxQuestions = 16;  // To one client in the course of one call, at a time.

}  // namespace

// A server may ask its client things in the course of a call. Where it does not say which call, it
// is asked on only if there is no doubt; otherwise the server hears at once that nobody answers.
void McpLink::on_request(const mcp::Message& message, std::uint64_t cause) {
  if (message.method == "ping") {
    answer(message.id, mcp::result_reply("{}"));
    return;
  }
  const std::string task = mcp::related_task(message.raw_params);
  const auto* const known = mcp::find_client_method(message.method);
  Pending* const asked = known ? call_of(cause, task) : nullptr;
  // Servers ask for roots by themselves, not in the course of a call.
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
      // If the call fails now, its client receives the capability that it lacks.
      asked->call->missing = mcp::find_client_method(message.method)->capability;
    }
    return;
  }
  asked->visible = true;
  asked->begin_question(asked->call->timeout);
  // The answer comes when the message and the buffer it lies in are gone.
  auto pass_on = [this, alive = liveness_.watch(), number = asked->id, id = std::string(message.id),
                  method = std::string(message.method), task](mcp::Reply reply) {
    if (alive.expired()) return;
    if (!reply.is_error) reply.body = mcp::answer_for(revision_, method, reply.body);
    if (!reply.is_error && !task.empty()) reply.body = mcp::with_related_task(reply.body, task);
    answer(id, reply);
    if (const auto found = pending_.find(number); found != pending_.end()) {
      found->second->end_question();
    }
  };
  gateway::ask(*asked->call, message.method, with_listed_tasks(*asked->call, message.raw_params),
               std::move(pass_on));
}

// Nobody can be asked: no call runs, or those of several clients do.
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
      "`isolation: per-session` of the upstream gives each session its own (calls without a "
      "session "
      "share one per caller)";
  answer(message.id, mcp::error_reply({Code::method_not_found, std::string(kWhy)}));
  if (std::exchange(logged_refusal_, true)) return;
  log::Line(log::Level::warn, "question of an upstream refused")
      .add("upstream", counters_.upstream)
      .add("method", message.method)
      .add("why", kWhy);
}

// A call of which something has come already is not made twice. Servers ask for roots by
// themselves, not in the course of a call: only where the server says which call it is about does
// it count.
bool McpLink::may_begin_again(const Pending& asked, std::string_view method, std::uint64_t cause) {
  return !asked.visible && (cause != 0 || method != "roots/list");
}

// Only for clients without a session: the others declare their abilities once, and their servers
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
