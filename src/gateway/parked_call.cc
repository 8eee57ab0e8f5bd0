#include "gateway/parked_call.h"

#include <fmt/format.h>

#include "core/discard.h"
#include "gateway/call/make_call.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/question.h"
#include "net/io/address_share.h"

namespace patchbay::gateway {
namespace {

// Questions that arrive within this time are asked in one round.
constexpr auto kTogether = std::chrono::milliseconds(10);

}  // namespace

std::string essence_of(const Call& call) {
  if (call.linked) {
    const auto* const target = call.request.param(call.method.target);
    return fmt::format("link {} {} {}", call.caller->id, call.request.method, target->raw);
  }
  std::string text = fmt::format("{} {}", call.caller->id, call.request.method);
  for (const auto& member : call.request.params) {
    if (member.key == "inputResponses" || member.key == "requestState") continue;
    text += fmt::format(" {}={}", json::quote(member.key), member.raw);
  }
  return text;
}

ParkedCall::ParkedCall(Owner& owner, std::uint64_t id, const Call& first)
    : owner_(owner),
      id_(id),
      request_(first.request),
      capabilities_(first.capabilities),
      client_info_(first.client_info),
      from_(first.from),
      context_(first.trace.received()),
      call_(make_call({.request = request_.message,
                       .method = first.method,
                       .revision = first.revision,
                       .frontend = first.frontend,
                       .caller = first.caller,
                       .from = from_,
                       .client = *this,
                       .deadline = first.deadline,
                       .bytes_in = first.bytes_in,
                       .capabilities = capabilities_,
                       .client_info = client_info_,
                       .log_level = first.log_level,
                       .trace = context_.view(),
                       .authenticated = first.trace.authenticated(),
                       .headers = first.headers,
                       .linked = first.linked,
                       .has_user = first.has_user,
                       .keeps_null = first.keeps_null})) {
  call_.timeout = first.timeout;
  call_.clock = first.clock;
  call_.server_info = first.server_info;
}

ParkedCall::~ParkedCall() { set_parked(false); }

Task<void> ParkedCall::run(Pipeline& pipeline) {
  auto task = pipeline.handle(call_);
  auto answered = co_await task.with_stop(stop_);
  running_ = false;
  mcp::Reply reply = answered ? *std::move(answered) : mcp::error_reply(answered.error());
  end_questions();
  if (request_in_round_ && !round_reply_.delivered()) {
    over_ = true;
    request_in_round_->quota = call_.quota;
    round_reply_.deliver(std::move(reply));
  } else {
    answer_ = std::move(reply);
  }
  ended_.deliver(ok());
  co_return ok();
}

Task<mcp::Reply> ParkedCall::wait(const Call& request) {
  set_parked(false);
  request_in_round_ = &request;
  round_reply_.reset();
  if (answer_) {
    over_ = true;
    request_in_round_->quota = call_.quota;
    round_reply_.deliver(*std::exchange(answer_, std::nullopt));
  } else if (!questions_.empty()) {
    send_questions();  // Open questions are asked again.
  }
  auto reply = co_await round_reply_.wait();
  request_in_round_ = nullptr;
  drop();
  if (!reply) {
    // The client has disconnected, so the answer is not needed.
    over_ = true;
    give_up();
    auto ended = ended_.wait();
    ended.ignore_stop();
    discard(co_await ended, "the call has ended, whatever its outcome");
    co_return reply.error();
  }
  if (!over_) set_parked(true);
  co_return reply;
}

void ParkedCall::set_parked(bool parked) {
  if (parked_ != parked) owner_.on_parked(parked);
  parked_ = parked;
  drop();
  if (parked) here().timers().set(*this, here().now() + call_.timeout);
}

// From its first question to its end, a call counts as waiting for its client.
Result<void> ParkedCall::take_share() {
  if (share_) return ok();
  auto taken = shares().take(ShareOf::parked_calls,
                             share_owner(*call_.caller, net::share_of_address(call_.from)));
  if (!taken) return taken.error();
  share_ = *std::move(taken);
  return ok();
}

void ParkedCall::notify(std::string_view method, std::string_view params) {
  if (!request_in_round_) return;
  if (method != "notifications/progress")
    return gateway::notify(*request_in_round_, method, std::string(params));
  // The request of this round may use another progress token than the first one.
  if (const auto* const token = request_in_round_->request.meta_member("progressToken")) {
    gateway::notify(*request_in_round_, method, mcp::with_token(params, token->raw));
  }
}

void ParkedCall::ask(std::string_view method, std::string_view params, Answer answer) {
  auto question = mcp::question_for(call_.revision, capabilities_, method, params);
  if (!question) {
    if (const auto* const known = mcp::find_client_method(method)) {
      call_.missing = known->capability;
    }
    answer(mcp::error_reply(question.error()));
    return;
  }
  const bool full = !parked_ && owner_.is_full();
  const bool asked_enough = asked_ >= owner_.max_questions();
  if (full || asked_enough) {
    answer(mcp::error_reply(
        {Code::overloaded,
         fmt::format("too many {} (limits.{})",
                     full ? "pending input requests" : "input requests in one call",
                     full ? "max_parked_calls" : "max_input_requests_per_call")}));
    return;
  }
  if (auto shared = take_share(); !shared) {
    answer(mcp::error_reply(shared.error()));
    return;
  }
  std::string key = fmt::format("{}-{}", method.substr(0, method.find('/')), ++asked_);
  questions_.emplace(std::move(key),
                     Question{std::string(method), *std::move(question), std::move(answer)});
  if (request_in_round_ && !set()) here().timers().set(*this, here().now() + kTogether);
}

void ParkedCall::withdraw_questions() {
  end_questions();
  if (!request_in_round_) return;
  drop();  // No more questions follow.
  if (&request_in_round_->owner == &here()) request_in_round_->client.withdraw_questions();
}

void ParkedCall::end_questions() {
  for (auto& [key, question] : std::exchange(questions_, {})) {
    question.answer(mcp::error_reply({Code::cancelled, "the call is over"}));
  }
}

// Either the time to ask has come, or the client has not returned in time.
void ParkedCall::on_deadline() {
  if (request_in_round_) {
    send_questions();
    return;
  }
  give_up();
  owner_.on_expired(id_);
}

void ParkedCall::send_questions() {
  ++round_;
  std::string requests;
  for (const auto& [key, question] : questions_) {
    if (!requests.empty()) requests += ',';
    requests += fmt::format(R"("{}":{{"method":"{}")", key, question.method);
    if (!question.params.empty()) requests += fmt::format(R"(,"params":{})", question.params);
    requests += '}';
  }
  auto reply = mcp::result_reply(
      fmt::format(R"({{"resultType":"input_required","inputRequests":{{{}}},"requestState":"{}"}})",
                  requests, owner_.state_of(*this)));
  reply.type = mcp::ResultType::input_required;
  round_reply_.deliver(std::move(reply));
}

void ParkedCall::take_answers(const Call& request) {
  const auto* const given = request.request.param("inputResponses");
  json::each_member(given ? given->raw : "{}", [&](std::string_view key, std::string_view raw) {
    const auto found = questions_.find(std::string(key));
    if (found == questions_.end() || !raw.starts_with('{')) return;
    Answer answer = std::move(found->second.answer);
    questions_.erase(found);
    answer(mcp::result_reply(std::string(raw)));
  });
}

}  // namespace patchbay::gateway
