#include "frontends/rest/call.h"

#include "frontends/exchange_sink.h"
#include "frontends/quota_fields.h"
#include "frontends/received_context.h"
#include "gateway/call/make_call.h"
#include "mcp/shape.h"

namespace patchbay::frontends {
namespace {

// Clients of REST can fill in forms and open URLs, at the link that they get.
constexpr std::string_view kCapabilities = R"({"elicitation":{"form":{},"url":{}}})";

std::string_view event_of(std::string_view method) {
  if (method == "notifications/progress") return "progress";
  return method == "notifications/message" ? "log" : "partial";
}

}  // namespace

Task<void> send_answer(net::HttpExchange& exchange, const RestAnswer& answer) {
  co_return co_await exchange.answer(answer.status, answer.type, {answer.body}, answer.fields);
}

RestCall::RestCall(gateway::McpServer& server, net::HttpExchange& exchange,
                   const mcp::Message& request, std::string fields, const RestStreaming* streaming)
    : server_(server),
      exchange_(exchange),
      fields_(std::move(fields)),
      streaming_(streaming),
      call_(gateway::make_call({.request = request,
                                .method = *mcp::find_method(request.method, mcp::kNewest),
                                .revision = mcp::kNewest,
                                .frontend = "rest",
                                .caller = exchange.caller,
                                .from = exchange.peer.ip,
                                .client = *this,
                                .deadline = server.deadline(),
                                .bytes_in = exchange.body.size(),
                                .capabilities = kCapabilities,
                                .trace = received_context(exchange),
                                .authenticated = exchange.authenticated,
                                .linked = true,
                                .keeps_null = true})) {}

RestCall::~RestCall() { exchange_.watch_hangup(nullptr); }

Task<mcp::Reply> RestCall::run() {
  const StopLink link(co_await current_stop(), stop_);
  if (streaming_) here().timers().set(*this, here().now() + streaming_->after);
  exchange_.watch_hangup(this);
  auto task = server_.answer(call_);
  auto answered = co_await task.with_stop(stop_);
  drop();
  exchange_.watch_hangup(nullptr);
  mcp::Reply reply = answered ? *std::move(answered) : mcp::error_reply(answered.error());
  fields_ += quota_fields(call_);
  co_return reply;
}

Task<void> RestCall::finish(RestAnswer answer) {
  // A call that fails before anything was sent can still answer with its status.
  const bool plain = !streaming_ || (answer.status >= 400 && !exchange_.streaming());
  if (plain) {
    answer.fields += fields_;
    co_return co_await send_answer(exchange_, answer);
  }
  if (!exchange_.streaming()) begin_stream();
  // The answer may be large: send what was queued before it first.
  auto drained = co_await exchange_.drained();
  if (!drained) co_return drained;
  auto put = exchange_.put_answer({gateway::event_frame("", answer.body, answer.event)});
  if (!put) exchange_.cut_off();
  co_return co_await exchange_.end_stream();
}

void RestCall::notify(std::string_view method, std::string_view params) {
  if (!streaming_) return;
  // Notifications must not cost a slow reader its answer.
  if (exchange_.congested(params.size())) return exchange_.log_dropped();
  if (!exchange_.streaming()) begin_stream();
  send_event(event_of(method), mcp::notice_for(call_.revision, method, params));
}

void RestCall::ask(std::string_view method, std::string_view, gateway::Answer answer) {
  answer(mcp::error_reply(gateway::cannot_be_asked(call_, method)));
}

void RestCall::begin_stream() { exchange_.begin_stream(fields_); }

void RestCall::send_event(std::string_view event, std::string_view data) {
  auto put = exchange_.put({gateway::event_frame("", data, event)});
  if (put) return;
  exchange_.cut_off();
  stop_.request();
}

// The call takes long: send a comment now and at intervals, so that the client knows that it is
// running.
void RestCall::on_deadline() {
  if (!exchange_.streaming()) begin_stream();
  // A reader with unread data needs no comment.
  if (!exchange_.congested()) {
    auto put = exchange_.put({kSseComment});
    if (!put) stop_.request();
  }
  here().timers().set(*this, here().now() + streaming_->keep_alive);
}

}  // namespace patchbay::frontends
