#include "frontends/mcp/post_call.h"

#include "core/discard.h"
#include "frontends/mcp/subscriber.h"
#include "frontends/quota_fields.h"
#include "frontends/received_context.h"
#include "gateway/call/client_info.h"
#include "gateway/call/make_call.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/question.h"
#include "mcp/shape.h"

namespace patchbay::frontends {

PostCall::PostCall(McpHttpState& state, net::HttpExchange& exchange, const mcp::Message& message,
                   const mcp::Method& method, mcp::Revision revision,
                   std::shared_ptr<gateway::Session> session)
    : state_(state),
      exchange_(exchange),
      session_(std::move(session)),
      call_(gateway::make_call({.request = message,
                                .method = method,
                                .revision = revision,
                                .frontend = "mcp-http",
                                .caller = exchange.caller,
                                .from = exchange.peer.ip,
                                .client = *this,
                                .deadline = state.server.deadline(),
                                .bytes_in = exchange.body.size(),
                                .trace = received_context(exchange),
                                .authenticated = exchange.authenticated,
                                .has_user = true})),
      find_header_(
          [&exchange](std::string_view name) { return exchange.request.fields.find(name); }) {
  if (session_) {
    call_.session = session_->id;
    call_.session_digest = session_->digest;
    call_.capabilities = session_->capabilities;
    call_.client_info = session_->client_info;
    call_.log_level = session_->wanted_level();
  } else {
    call_.capabilities = gateway::declared_capabilities(message);
    client_info_ = gateway::client_info_of(message);
    call_.client_info = client_info_;
    call_.headers = &find_header_;
  }
}

PostCall::~PostCall() {
  state_.questions.drop(this);
  exchange_.watch_hangup(nullptr);
  if (sink_) sink_->disconnect();
  if (!stream_) return;
  stream_->watch_reader({});
  stream_->detach(sink_.get());
}

Task<void> PostCall::run() {
  if (auto known = session_ ? answered_by_set(session_->subscriber, call_) : std::nullopt) {
    co_return co_await finish(*known);
  }
  const StopLink link(co_await current_stop(), stop_);
  const gateway::InFlight::Entry entry(state_.in_flight, session_.get(), call_.request.id, stop_);
  here().timers().set(*this, here().now() + state_.settings.stream_after);
  exchange_.watch_hangup(this);
  auto task = state_.server.answer(call_);
  auto answered = co_await task.with_stop(stop_);
  drop();
  exchange_.watch_hangup(nullptr);
  const mcp::Reply reply = answered ? *std::move(answered) : mcp::error_reply(answered.error());
  if (session_) {
    note_subscription(session_->subscriber, call_, reply);
    if (call_.method.subscribes() && !reply.is_error) state_.save_session(session_);
    note_task(session_->tasks, call_, reply);
  }
  co_return co_await finish(reply);
}

Task<void> PostCall::finish(const mcp::Reply& reply) {
  if (!exchange_.streaming()) {
    const std::string head = mcp::response_head(call_.request.id, reply.is_error);
    const int status = status_of(reply);
    std::string fields = quota_fields(call_);
    if (status == 429 || status == 503) {
      fields += retry_field(status, json::member(reply.body, "data").value_or("{}"));
    }
    co_return co_await exchange_.answer(status, net::kJson, {head, reply.body, "}"}, fields);
  }
  // The answer may be large: send what was queued before it first.
  auto drained = co_await exchange_.drained();
  discard(drained, "a client that has disconnected can still resume");
  const std::string response = mcp::response(call_.request.id, reply);
  if (stream_) {
    stream_->append(response, gateway::EventKind::answer);
    state_.streams.close(*stream_);
    co_return co_await exchange_.end_stream();
  }
  auto put = exchange_.put_answer({gateway::event_frame("", response)});
  // If there is no memory for the answer, the client gets that error instead. Nothing of it was
  // queued, so the stream has no gap.
  if (!put && put.error().code == Code::overloaded) {
    const mcp::Reply why = mcp::error_reply(put.error());
    put = exchange_.put_answer({gateway::event_frame("", mcp::response(call_.request.id, why))});
  }
  if (!put) exchange_.cut_off();
  co_return co_await exchange_.end_stream();
}

// Without sessions some errors are HTTP errors too.
int PostCall::status_of(const mcp::Reply& reply) const {
  if (reply.why == Code::rate_limited) return 429;
  if (reply.why == Code::overloaded) return 503;
  if (session_ || !reply.is_error) return 200;
  if (reply.why == Code::method_not_found) return 404;
  if (reply.why == Code::header_mismatch) return 400;
  return json::member(reply.body, "code") == "-32021" ? 400 : 200;
}

bool PostCall::wants(std::string_view method, std::string_view params) const {
  if (method != "notifications/message") return true;
  return gateway::is_wanted_log(params, call_.request, call_.revision, call_.log_level);
}

void PostCall::ask(std::string_view method, std::string_view params, gateway::Answer answer) {
  auto question = session_ ? mcp::question_for(call_.revision, call_.capabilities, method, params)
                           : gateway::cannot_be_asked(call_, method);
  if (!question) {
    answer(mcp::error_reply(question.error()));
    return;
  }
  if (!exchange_.streaming()) begin_stream();
  const std::string id = state_.questions.add(this, session_.get(), std::move(answer));
  send_message(mcp::request(id, method, *question));
}

void PostCall::notify(std::string_view method, std::string_view params) {
  if (!wants(method, params)) return;
  // Notifications must not cost a slow reader its answer.
  if (exchange_.congested(params.size())) return exchange_.log_dropped();
  if (!exchange_.streaming()) begin_stream();
  send_message(mcp::notification(method, mcp::notice_for(call_.revision, method, params)));
}

// The call starts again, so it may again fail with its own status.
void PostCall::withdraw_questions() {
  if (exchange_.streaming()) return;
  drop();
  here().timers().set(*this, here().now() + state_.settings.stream_after);
}

void PostCall::on_private_program() {
  if (session_ && !session_->has_private.exchange(true)) state_.save_session(session_);
}

void PostCall::begin_stream() {
  exchange_.begin_stream();
  if (!session_) return;
  stream_ = state_.streams.create(session_->id);
  sink_ = std::make_shared<ExchangeSink>(exchange_);
  stream_->attach(sink_, 0);
  stream_->watch_reader([this](bool reads) { call_.abandoned = !reads; });
  // An event without data, from which a client can resume before anything was sent. Older
  // revisions do not expect one.
  if (session_->revision >= mcp::Revision::v2025_11_25) stream_->append("");
}

void PostCall::send_message(std::string_view message) {
  if (stream_) {
    stream_->append(message);
    return;
  }
  auto put = exchange_.put({gateway::event_frame("", message)});
  if (put) return;
  exchange_.cut_off();
  stop_.request();  // Without a session no client can ask for the rest.
}

// Without a session closing the connection is how to cancel. With one the client may come back.
void PostCall::on_hangup() {
  if (!session_) return stop_.request();
  call_.abandoned = true;
}

// The call takes long: send a comment now and at intervals, so that the client knows that it is
// running.
void PostCall::on_deadline() {
  if (!exchange_.streaming()) {
    begin_stream();
  }
  if ((!sink_ || !sink_->ended()) && !exchange_.congested()) {
    auto put = exchange_.put({kSseComment});
    if (!put && sink_) sink_->on_end();
  }
  here().timers().set(*this, here().now() + state_.settings.keep_alive);
}

}  // namespace patchbay::frontends
