#include "frontends/mcp/conversation.h"

#include <fmt/format.h>

#include "core/discard.h"
#include "frontends/mcp/unreadable.h"
#include "gateway/call/client_info.h"
#include "gateway/call/make_call.h"
#include "json/text.h"
#include "mcp/compose.h"
#include "mcp/methods.h"
#include "mcp/question.h"
#include "mcp/shape.h"
#include "mcp/stateless.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

// Requests of one client that wait until it has read the answers to earlier ones.
constexpr std::size_t kMaxWaiting = 256;

// Delivers to `slot` when `stop` is requested.
class EndOneShot final : Stop::Hook {
 public:
  EndOneShot(Stop& stop, OneShot<void>& slot) : slot_(slot) {
    if (stop.requested()) {
      slot_.deliver(ok());
    } else {
      link(stop);
    }
  }

 private:
  void on_stop() override { slot_.deliver(ok()); }

  OneShot<void>& slot_;
};

// The JSON-RPC error for text that cannot be parsed; the position is in its data.
Error parse_error_of(const Error& why) {
  if (why.code != Code::parse_error) return why;
  return {Code::parse_error, "Parse error: Invalid JSON",
          fmt::format(R"({{"reason":"{}","detail":{}}})", info(why.code).name,
                      json::quote(why.message))};
}

}  // namespace

// The client of one call, on the channel that all calls share.
class Conversation::LinePeer final : public gateway::Peer {
 public:
  explicit LinePeer(Conversation& frontend) : frontend_(frontend) {}
  ~LinePeer() override { frontend_.questions_.drop(this); }

  // The call whose client this is. Set once, before anything else.
  void serve(const gateway::Call& call) { call_ = &call; }

  void notify(std::string_view method, std::string_view params) override {
    if (method == "notifications/message" &&
        !gateway::is_wanted_log(params, call_->request, call_->revision, frontend_.log_level_)) {
      return;
    }
    auto sent = frontend_.channel_.send(
        mcp::notification(method, mcp::notice_for(call_->revision, method, params)));
    discard(sent, "a client that does not read loses progress, not answers");
  }

  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override {
    auto question =
        mcp::info(call_->revision).stateless
            ? gateway::cannot_be_asked(*call_, method)
            : mcp::question_for(call_->revision, frontend_.capabilities_, method, params);
    if (!question) {
      answer(mcp::error_reply(question.error()));
      return;
    }
    const std::string id = frontend_.questions_.add(this, &frontend_, std::move(answer));
    auto sent = frontend_.channel_.send(mcp::request(id, method, *question));
    if (!sent) frontend_.questions_.drop(this);
  }

 private:
  Conversation& frontend_;
  const gateway::Call* call_ = nullptr;
};

Task<void> Conversation::run(std::chrono::nanoseconds grace) {
  listed_ = gateway::open_clients().add(
      {"connection", caller_.frontend, caller_.caller, "", "", caller_.from});
  listed_.on_end(here(), [this] { end(); });
  channel_.start(*this);
  auto ended = co_await ended_.wait();
  discard(ended, "whatever ended the wait, the conversation is over");
  listed_.remove();
  listening_ends_.request();
  const Deadline deadline = here().now() + grace;
  auto drained = co_await calls_.finish(deadline);
  auto unsubscribed = co_await unsubscribe_all(server_, caller_, subscriber_);
  discard(unsubscribed, "an upstream that is down has no subscription");
  co_return drained;
}

void Conversation::on_message(std::string_view text, std::uint64_t /*cause*/) {
  on_whole_message(std::string(text), 0);
}

void Conversation::on_whole_message(std::string text, std::uint64_t /*cause*/) {
  Context beside = std::exchange(beside_, nullptr);
  if (mcp::is_batch(text)) return calls_.spawn(serve_batch(std::move(text)));
  auto own = std::make_unique<mcp::OwnMessage>(std::move(text));
  auto parsed = mcp::parse(own->text, own->message);
  if (parsed) return calls_.spawn(serve(std::move(own), std::move(beside)));
  auto sent = send_answer(id_of_unreadable(own->message, parsed.error()),
                          mcp::error_reply(parse_error_of(parsed.error())));
  discard(sent, "if the client has disconnected, run() ends");
}

void Conversation::on_closed(const std::string&) { ended_.deliver(ok()); }

void Conversation::notify_changed(gateway::CatalogChanges& update) {
  for (auto* const listening : listenings_) listening->notify_changed(update);
  if (!has_session_ || server_.identity().only_fixed_tools) return;
  for (const auto notification : update.of(caller())) {
    auto sent = channel_.send(mcp::notification(notification, ""));
    discard(sent, "if the client has disconnected, run() ends");
  }
}

void Conversation::notify_updated(gateway::ResourceUpdate& update) {
  for (auto* const listening : listenings_) listening->notify_updated(update);
  const std::string& uri = update.of(caller());
  if (!subscriber_.wants(uri)) return;
  auto sent =
      channel_.send(mcp::notification("notifications/resources/updated", updated_params(uri)));
  discard(sent, "if the client has disconnected, run() ends");
}

void Conversation::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  for (auto* const listening : listenings_) listening->notify_task(upstream, update);
  std::string text = task_message(tasks_, upstream, update);
  if (text.empty()) return;
  auto sent = channel_.send(std::move(text));
  discard(sent, "if the client has disconnected, run() ends");
}

Task<void> Conversation::serve(std::unique_ptr<const mcp::OwnMessage> own, Context beside) {
  auto reply = co_await answer(own->message, own->text.size(), beside.get());
  co_return reply && *reply ? send_answer(own->message.id, **reply) : ok();
}

Task<void> Conversation::serve_batch(std::string text) {
  auto response = co_await answer_batch(text);
  co_return response ? send(*std::move(response)) : ok();
}

Result<void> Conversation::send_answer(std::string_view id, const mcp::Reply& reply) {
  if (answers_) return answers_->answer(id, reply);
  auto sent = send(mcp::response(id, reply));
  // If there is no memory for the answer, the client gets that error instead.
  if (!sent && sent.error().code == Code::overloaded) {
    sent = send(mcp::response(id, mcp::error_reply(sent.error())));
  }
  // A client whose answer was dropped would wait for it forever.
  if (!sent) end();
  return sent;
}

Result<void> Conversation::send(std::string response) {
  if (response.empty()) return ok();
  auto sent = channel_.send(std::move(response), {.is_answer = true});
  if (!sent && sent.error().code == Code::overloaded) {
    log::Line(log::Level::error, "answer lost")
        .add("frontend", caller_.frontend)
        .add("why", sent.error().message);
  }
  return sent;
}

// No further requests are executed for a client that does not read its answers: they wait here, and
// the upstream does not get them yet.
Task<void> Conversation::wait_for_room() {
  if (waiting_ >= kMaxWaiting) {
    co_return Error{Code::overloaded,
                    "too many requests wait for this client to read its answers; try again later"};
  }
  ++waiting_;
  auto room = co_await channel_.room();
  --waiting_;
  if (!room && room.error().code == Code::timeout) {
    co_return Error{Code::timeout, "the client does not read its answers (limits.write_timeout)"};
  }
  co_return room;
}

Task<std::string> Conversation::answer_batch(std::string_view text) {
  auto messages = mcp::split_batch(text);
  if (!messages) co_return mcp::response("", mcp::error_reply(messages.error()));
  if (!mcp::info(revision_).batches || messages->empty() ||
      messages->size() > server_.max_batch()) {
    const Error refused{Code::invalid_request,
                        fmt::format("batches are for revision 2025-03-26, with 1 to {} messages "
                                    "(limits.max_batch_messages)",
                                    server_.max_batch())};
    co_return mcp::response("", mcp::error_reply(refused));
  }
  std::vector<std::string> answers(messages->size());
  Scope all;
  for (std::size_t i = 0; i < messages->size(); ++i) {
    // view: of a text that is alive until all of them are drained.
    all.spawn(answer_into((*messages)[i], answers[i]));
  }
  auto done = co_await all.drain(kNever);
  if (!done) {
    all.cancel();
    auto ending = all.drain(kNever);
    done = co_await ending.shielded();
  }
  std::string joined;
  for (const auto& one : answers) {
    if (!one.empty()) joined += (joined.empty() ? "[" : ",") + one;
  }
  if (!joined.empty()) joined += ']';
  co_return joined;
}

Task<void> Conversation::answer_into(std::string_view text, std::string& out) {
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) {
    out = mcp::response(id_of_unreadable(message, parsed.error()),
                        mcp::error_reply(parse_error_of(parsed.error())));
    co_return ok();
  }
  auto reply = co_await answer(message, text.size(), nullptr);
  if (reply && *reply) out = mcp::response(message.id, **reply);
  co_return ok();
}

Task<std::optional<mcp::Reply>> Conversation::answer(const mcp::Message& message, std::size_t size,
                                                     const trace::OwnedContext* beside) {
  if (message.kind == mcp::Message::Kind::response) {
    questions_.answer(this, message.id, mcp::reply_of(message));
  }
  if (message.kind == mcp::Message::Kind::notification) notified(message);
  if (message.kind != mcp::Message::Kind::request) co_return std::nullopt;
  auto claimed = mcp::claimed_revision(message);
  if (!claimed) co_return mcp::error_reply(claimed.error());
  mcp::Revision revision = revision_;
  const mcp::Local local = mcp::local_of(message.method);
  if (*claimed && mcp::info(**claimed).stateless) {
    revision = **claimed;
    auto envelope = mcp::check_envelope(message);
    if (!envelope) co_return mcp::error_reply(envelope.error());
  } else if (local == mcp::Local::initialize) {
    auto agreed = server_.negotiate(message);
    if (!agreed) co_return mcp::error_reply(agreed.error());
    revision = revision_ = *agreed;
    has_session_ = true;
    capabilities_ = gateway::client_capabilities(message);
    client_info_ = gateway::client_info_of(message);
    listed_.describe(client_info_, mcp::info(revision).name);
  } else if (local == mcp::Local::set_level) {
    if (auto level = gateway::asked_level(message)) log_level_ = *level;
  }
  auto reply = co_await run_call(message, revision, size, beside);
  // A cancelled request gets no answer.
  if (reply && reply->why == Code::cancelled) co_return std::nullopt;
  if (!reply) co_return mcp::error_reply(reply.error());
  co_return *std::move(reply);
}

Task<mcp::Reply> Conversation::run_call(const mcp::Message& message, mcp::Revision revision,
                                        std::size_t size, const trace::OwnedContext* beside) {
  auto method = server_.method_of(message, revision, caller());
  if (!method) co_return method.error();
  LinePeer client(*this);
  const bool stateless = mcp::info(revision).stateless;
  gateway::CallParts parts{.request = message,
                           .method = **method,
                           .revision = revision,
                           .frontend = caller_.frontend,
                           .caller = caller_.caller,
                           .from = caller_.from,
                           .client = client,
                           .deadline = server_.deadline(),
                           .bytes_in = size,
                           .trace = beside ? beside->view() : trace::ReceivedContext(),
                           .has_user = true};
  const std::string own_info = stateless ? gateway::client_info_of(message) : "";
  if (stateless) {
    parts.capabilities = gateway::declared_capabilities(message);
    parts.client_info = own_info;
  } else {
    parts.client_info = client_info_;
    parts.session = name_;
    parts.session_digest = digest_;
    parts.capabilities = capabilities_;
    parts.log_level = log_level_;
  }
  auto call = gateway::make_call(std::move(parts));
  client.serve(call);
  Stop stop;
  const StopLink link(co_await current_stop(), stop);
  const gateway::InFlight::Entry entry(in_flight_, this, message.id, stop);
  if (channel_.full()) {
    auto waiting = wait_for_room();
    auto room = co_await waiting.with_stop(stop);
    if (!room) co_return room.error();
    call.deadline = server_.deadline();
  }
  if ((*method)->local == mcp::Local::listen) {
    auto listening = listen(message);
    co_return co_await listening.with_stop(stop);
  }
  auto answered = answered_by_set(subscriber_, call);
  if (answered) co_return *std::move(answered);
  auto task = server_.answer(call);
  auto reply = co_await task.with_stop(stop);
  if (reply) note_subscription(subscriber_, call, *reply);
  if (reply && !stateless) note_task(tasks_, call, *reply);
  co_return reply;
}

// Sends notifications until the client cancels the request or disconnects.
Task<mcp::Reply> Conversation::listen(const mcp::Message& message) {
  auto filter = Listening::filter_of(message);
  if (!filter) co_return filter.error();
  Listening listening(server_, caller_, message, [this](std::string_view text) {
    auto sent = channel_.send(std::string(text));
    discard(sent, "if the client has disconnected, run() ends");
  });
  listenings_.insert(&listening);
  auto begun = co_await listening.begin(*std::move(filter));
  discard(begun, "a stream without subscriptions still has its events");
  OneShot<void> over;
  const EndOneShot when_gone(listening_ends_, over);
  auto ended = co_await over.wait();
  listenings_.erase(&listening);
  // Cancellation has stopped this task, but it must still unsubscribe.
  auto unsubscribing = listening.end();
  auto unsubscribed = co_await unsubscribing.shielded();
  discard(unsubscribed, "an upstream that is down has no subscription");
  if (!ended) co_return ended.error();
  co_return listening.last_result();
}

void Conversation::notified(const mcp::Message& message) {
  if (mcp::local_of(message.method) != mcp::Local::cancelled) return;
  in_flight_.cancel(this, gateway::cancelled_id(message));
}

}  // namespace patchbay::frontends
