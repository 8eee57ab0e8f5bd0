#include "mcp_client/input_round.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "async/one_shot.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/tasks.h"
#include "mcp/tool_result.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostInputs = 16;  // Of one round.
// Between rounds in which the server asks nothing but to be called again.
constexpr auto kPace = std::chrono::milliseconds(250);

struct Input {
  std::string key;
  std::string method;
  std::string params;
  std::string result;  // The client's, raw.
};

// Shared with the answers, which may arrive after the call has stopped waiting.
struct Round {
  std::vector<Input> inputs;
  std::size_t missing = 0;
  OneShot<void> complete;
};

Result<std::vector<Input>> inputs_of(std::string_view result, const InputRound& about) {
  std::vector<Input> inputs;
  bool well_formed = true;
  json::each_member(
      json::member(result, "inputRequests").value_or("{}"),
      [&](std::string_view key, std::string_view raw) {
        if (about.answered.contains(std::string(key))) return;
        auto method = json::string_member(raw, "method");
        well_formed &= method.has_value();
        std::string params(json::member(raw, "params").value_or("{}"));
        if (!about.related.empty()) params = mcp::with_related_task(params, about.related);
        inputs.push_back({std::string(key), method.value_or(""), std::move(params), ""});
      });
  if (!well_formed)
    return Error{Code::upstream_failed, "the upstream's input request is malformed"};
  if (inputs.size() > kMostInputs) {
    return Error{Code::upstream_failed, "too many pending input requests"};
  }
  return inputs;
}

void take_answer(Round& round, std::size_t index, mcp::Reply reply) {
  if (reply.is_error) {
    const auto why = json::string_member(reply.body, "message").value_or("no reason given");
    round.complete.deliver(
        Error{Code::missing_capability,
              fmt::format("the call needs {} of the client: {}", round.inputs[index].method, why)});
    return;
  }
  round.inputs[index].result = std::move(reply.body);
  if (--round.missing == 0) round.complete.deliver(ok());
}

std::string retry_members(const Round& round, std::string_view result) {
  std::string members;
  if (!round.inputs.empty()) {
    members = "\"inputResponses\":{";
    for (const auto& input : round.inputs) {
      if (!members.ends_with('{')) members += ',';
      members += json::quote(input.key) + ':' + input.result;
    }
    members += '}';
  }
  if (const auto state = json::member(result, "requestState")) {
    if (!members.empty()) members += ',';
    members += fmt::format("\"requestState\":{}", *state);
  }
  return members;
}

}  // namespace

bool has_inputs(std::string_view result, const InputRound& round) {
  bool any = false;
  json::each_member(json::member(result, "inputRequests").value_or("{}"),
                    [&](std::string_view key, std::string_view) {
                      any |= !round.answered.contains(std::string(key));
                    });
  return any;
}

mcp::Reply cannot_ask(const gateway::Call& call, const Error& error) {
  if (call.method.action != mcp::Action::call_tool) return mcp::error_reply(error);
  return mcp::tool_result({error.message}, true);
}

Task<std::string> ask_inputs(const gateway::Call& call, std::string_view result, InputRound& about,
                             Deadline deadline) {
  auto inputs = inputs_of(result, about);
  if (!inputs) co_return inputs.error();
  const auto round = std::make_shared<Round>();
  round->inputs = *std::move(inputs);
  round->missing = round->inputs.size();
  if (round->inputs.empty()) {
    auto slept = co_await sleep_until(std::min(deadline, here().now() + kPace));
    if (!slept) co_return slept.error();
  } else {
    // The questions of one round are one stage.
    const std::size_t stage = call.trace.begin_question();
    const trace::SentContext context = call.trace.for_client(stage);
    for (std::size_t i = 0; i < round->inputs.size(); ++i) {
      const Input& input = round->inputs[i];
      gateway::ask(call, input.method, mcp::with_context(input.params, context),
                   [round, i](mcp::Reply reply) { take_answer(*round, i, std::move(reply)); });
    }
    auto complete = co_await round->complete.wait(deadline);
    call.trace.end_question(stage, !complete);
    if (!complete) co_return complete.error();
    for (const auto& input : round->inputs) about.answered.insert(input.key);
  }
  co_return retry_members(*round, result);
}

}  // namespace patchbay::upstreams
