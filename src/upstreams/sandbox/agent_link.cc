#include "upstreams/sandbox/agent_link.h"

#include <fmt/format.h>

#include <charconv>

#include "core/discard.h"
#include "json/read.h"
#include "json/text.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kLongestComplaint = 4'096;

std::uint64_t id_in(std::string_view object) {
  const auto raw = json::member(object, "id").value_or("");
  std::uint64_t id = 0;
  const auto parsed = std::from_chars(raw.data(), raw.data() + raw.size(), id);
  return parsed.ec == std::errc() && parsed.ptr == raw.data() + raw.size() ? id : 0;
}

// The agent's own message, and the code for it.
Error refusal(std::string_view error) {
  const auto number = json::as_int(json::member(error, "code").value_or("0")).value_or(0);
  auto args = json::string_member(error, "message").value_or("the agent refuses");
  const Code code = number == -32602   ? Code::invalid_params
                    : number == -32601 ? Code::method_not_found
                    : number == -32005 ? Code::unauthenticated
                    : number == -32003 ? Code::overloaded
                    : number == -32000 ? Code::cancelled
                                       : Code::upstream_failed;
  return {code, json::shortened(args, kLongestComplaint)};
}

}  // namespace

AgentLink::AgentLink(transport::Channel& channel) : channel_(channel) { channel_.start(*this); }

AgentLink::~AgentLink() { channel_.close(); }

void AgentLink::close(const std::string& why) {
  channel_.close();
  if (!closed_) on_closed(why);
}

Task<void> AgentLink::greet(std::string token, Deadline deadline) {
  if (!token.empty()) {
    auto authenticated = co_await ask(
        "authenticate", fmt::format(R"({{"token":{}}})", json::quote(token)), deadline);
    if (!authenticated) co_return authenticated.error();
  }
  auto known = co_await ask("capabilities", R"({"concurrent":true})", deadline);
  if (known) {
    extended_ = json::member(*known, "concurrent").has_value();
    co_return ok();
  }
  if (known.error().code != Code::method_not_found) co_return known.error();
  auto there = co_await ask("ping", "{}", deadline);
  if (!there) co_return there.error();
  co_return ok();
}

Task<std::string> AgentLink::ask(std::string method, std::string params, Deadline deadline,
                                 Output output) {
  if (closed_) co_return Error{Code::unavailable, why_closed_};
  const std::uint64_t id = ++last_id_;
  OneShot<std::string> answer;
  pending_.emplace(id, Pending{answer, output});
  auto sent = send(id, method, params);
  if (!sent) {
    pending_.erase(id);
    co_return sent.error();
  }
  auto result = co_await answer.wait(deadline);
  const bool unanswered = pending_.erase(id) == 1;
  if (unanswered && extended_ && !closed_) {
    // No OneShot waits for the answer to `cancel`.
    auto cancelled = send(++last_id_, "cancel", fmt::format(R"({{"id":{}}})", id));
    discard(cancelled, "a channel that takes nothing more is about to close");
  }
  co_return result;
}

Result<void> AgentLink::send(std::uint64_t id, std::string_view method, std::string_view params) {
  return channel_.send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{},"params":{}}})", id,
                                   json::quote(method), params));
}

void AgentLink::on_message(std::string_view message, std::uint64_t /*cause*/) {
  // Text that is not JSON, or not a response, is ignored: a program inside may write it.
  if (!json::check(message)) return;
  if (json::string_member(message, "method") == "output") {
    on_output(json::member(message, "params").value_or("{}"));
    return;
  }
  const auto found = pending_.find(id_in(message));
  if (found == pending_.end()) return;
  OneShot<std::string>& answer = found->second.answer;
  const auto result = json::member(message, "result");
  const auto error = json::member(message, "error");
  pending_.erase(found);
  if (result && json::type_of(*result) == json::Type::object) {
    answer.deliver(std::string(*result));
  } else if (error) {
    answer.deliver(refusal(*error));
  } else {
    answer.deliver(
        Error{Code::upstream_failed, "the agent answered with neither result nor error"});
  }
}

void AgentLink::on_output(std::string_view params) {
  const auto found = pending_.find(id_in(params));
  if (found == pending_.end() || !found->second.output) return;
  const auto stream = json::string_member(params, "stream").value_or("");
  const auto data = json::string_member(params, "data").value_or("");
  if (stream == "stdout" || stream == "stderr") found->second.output(stream, data);
}

void AgentLink::on_closed(const std::string& why) {
  closed_ = true;
  why_closed_ = fmt::format("the sandbox has ended: {}", why);
  for (auto& [id, waiting] : std::exchange(pending_, {})) {
    waiting.answer.deliver(Error{Code::unavailable, why_closed_});
  }
}

}  // namespace patchbay::upstreams
