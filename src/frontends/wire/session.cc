#include "frontends/wire/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/compose.h"
#include "mcp/methods.h"
#include "net/io/address_share.h"
#include "observe/log.h"
#include "transport/wire/fault.h"

namespace patchbay::frontends {
namespace {

constexpr std::size_t kRecommended = 1 << 20;  // Messages above this are counted.
constexpr std::string_view kMethodNotFound = R"({"code":-32601,)";

// What the protocol reports about a limit: {limit, window, retry_after}. A client that waits so
// many seconds does not come too early, or in a tight loop.
std::string limit_details(std::string_view data) {
  const auto ms = json::member(data, "retryAfterMs");
  const auto wait = ms ? std::max<std::int64_t>(json::as_int(*ms).value_or(0), 0) : 0;
  std::string out;
  json::Object object(out);
  for (const std::string_view key : {"limit", "window"}) {
    if (const auto raw = json::member(data, key)) object.raw(key, *raw);
  }
  const auto seconds = wait / 1000 + (wait % 1000 > 0 ? 1 : 0);
  object.raw("retry_after", std::to_string(std::max<std::int64_t>(seconds, 1)));
  object.end();
  return out;
}

// An envelope carries a message or a fault.
Result<void> check_content(const wire::Envelope& envelope) {
  if (envelope.payload.empty() || envelope.error.empty()) return ok();
  return Error{Code::invalid_request, "give either 'mcp_payload' or 'error', not both"};
}

// The handshake and pings keep a connection open and cost nothing that needs a limit.
bool is_counted(std::string_view method) {
  const auto* const known = std::ranges::find(mcp::kMethods, method, &mcp::Method::name);
  if (known == mcp::kMethods.end()) return true;
  return known->local != mcp::Local::initialize && known->local != mcp::Local::discover &&
         known->local != mcp::Local::ping;
}

std::string details_of(const Error& why) {
  return why.code == Code::rate_limited ? limit_details(why.data) : why.data;
}

}  // namespace

WireSession::WireSession(WireHost& host, WireSink& sink, WirePeer peer)
    : host_(host),
      sink_(sink),
      peer_(std::move(peer)),
      state_(host.state()),
      chunks_({state_->settings.chunk.value, state_->settings.max_message.value,
               static_cast<std::size_t>(state_->settings.incomplete_messages)}) {
  connection_.id = "connection " + random_hex(8);
  host_.add(*this);
}

WireSession::~WireSession() { host_.remove(*this); }

Task<void> WireSession::run(std::chrono::nanoseconds grace) {
  auto begun = co_await begun_.wait();
  if (!conversation_) co_return begun;
  co_return co_await conversation_->run(grace);
}

void WireSession::end() {
  if (conversation_) conversation_->end();
  begun_.deliver(ok());
}

void WireSession::end_at_once() {
  if (conversation_) conversation_->end_at_once();
  begun_.deliver(ok());
}

std::size_t WireSession::allowed() const {
  const auto& settings = state_->settings;
  const std::size_t most = settings.max_frame.value;
  return known() || !host_.authenticator().asks() ? most
                                                  : std::min(most, settings.max_unknown.value);
}

// ---- Messages in

Task<void> WireSession::take(std::string_view text) {
  host_.shared().messages->add();
  note_size(text.size());
  wire::Envelope envelope;
  auto parsed = wire::parse(text, envelope);
  if (parsed) parsed = check_content(envelope);
  if (!parsed) co_return turn_away(envelope, parsed.error());
  auto caller = co_await sender(envelope);
  if (!caller) co_return turn_away(envelope, caller.error());
  auto fresh = check_fresh(envelope, **caller);
  if (!fresh) co_return turn_away(envelope, fresh.error());
  auto entered = co_await enter(*std::move(caller));
  if (!entered) {
    refuse(envelope, "", entered.error());
    co_return entered.error();
  }
  if (!envelope.chunk) {
    dispatch(envelope);
    co_return ok();
  }
  std::string memory;
  auto whole = chunks_.add(envelope, memory);
  if (!whole) {
    refuse(envelope, "", whole.error());
  } else if (*whole) {
    note_size((*whole)->payload.size());
    dispatch(**whole);
  }
  co_return ok();
}

void WireSession::note_size(std::size_t size) const {
  if (size <= kRecommended) return;
  host_.shared().large->add();
  log::Line(log::Level::warn, "wire message above the recommended size")
      .add("frontend", peer_.frontend)
      .add("from", peer_.ip)
      .add("bytes", size)
      .add("recommended", kRecommended);
}

// An unauthenticated client has one attempt.
Result<void> WireSession::turn_away(const wire::Envelope& envelope, const Error& why) {
  refuse(envelope, json::member(envelope.payload, "id").value_or(""), why);
  if (!known() && host_.authenticator().asks()) return why;
  return ok();
}

// The caller of this message: the same as before, or none.
Task<Caller> WireSession::sender(const wire::Envelope& envelope) {
  const MessageAuth mode = state_->settings.per_message_auth;
  if (!host_.authenticator().asks())
    co_return host_.authenticator().recognise(PresentedCredentials{peer_.from});
  const Caller before = caller_ ? caller_ : peer_.caller;
  const bool stands = would_let_in(before);
  const bool given = !envelope.auth_token.empty() && (mode != MessageAuth::off || !stands);
  if (mode == MessageAuth::required && !given) {
    co_return Error{Code::unauthenticated,
                    "every message needs an auth_token (per_message_auth: required)"};
  }
  if (!given && stands) co_return before;
  const PresentedCredentials presented{peer_.from, peer_.certificate.get(), envelope.auth_token};
  if (before && !given && !peer_.certificate) {
    co_return Error{Code::unauthenticated, "the credentials have expired; send a new auth_token"};
  }
  auto found = co_await host_.authenticator().identify(presented);
  if (!found) co_return found.error();
  if (before && before->id != (*found)->id) {
    co_return Error{Code::forbidden, "this connection is another caller's; open one of your own"};
  }
  co_return *found;
}

// A client from before authentication was configured must authenticate now.
bool WireSession::would_let_in(const Caller& caller) const {
  return caller && still_stands(*caller) &&
         (caller->auth_method != AuthMethod::none || !host_.authenticator().asks());
}

// The first message of a caller starts the conversation.
Task<void> WireSession::enter(Caller caller) {
  if (caller_ == caller) co_return ok();
  caller_ = caller;
  if (conversation_) {
    conversation_->set_caller(std::move(caller));
    co_return ok();
  }
  if (begun_.delivered()) co_return Error{Code::unavailable, "the session has ended"};
  if (!peer_.caller) {
    auto share =
        shares().take(ShareOf::websockets, share_owner(*caller, net::share_of_address(peer_.ip)));
    if (!share) co_return share.error();
    share_ = *std::move(share);
  }
  transport::Channel& channel = *this;
  AnswerSink& answers = *this;
  conversation_.emplace(host_.server(), channel,
                        gateway::CallOrigin{peer_.frontend, std::move(caller), peer_.ip}, &answers);
  begun_.deliver(ok());
  while (!listener_) co_await next_turn();
  co_return ok();
}

Result<void> WireSession::check_fresh(const wire::Envelope& envelope,
                                      const Principal& caller) const {
  const std::string client =
      caller.auth_method == AuthMethod::none ? "address " + peer_.ip : "caller " + caller.id;
  return host_.shared().replay.check(client, envelope.id, envelope.time,
                                     std::chrono::system_clock::now());
}

void WireSession::dispatch(const wire::Envelope& envelope) {
  if (envelope.payload.empty()) {
    log::Line(log::Level::info, "wire client reports a fault")
        .add("from", peer_.ip)
        .add("why", wire::parse_fault(envelope.error).message);
    return;
  }
  auto own = std::make_unique<mcp::OwnMessage>(std::string(envelope.payload));
  auto parsed = mcp::parse(own->text, own->message);
  if (!parsed && !state_->settings.strict && !json::member(own->text, "jsonrpc")) {
    own = std::make_unique<mcp::OwnMessage>(json::with_member(own->text, "jsonrpc", R"("2.0")"));
    parsed = mcp::parse(own->text, own->message);
  }
  const mcp::Message& message = own->message;
  if (!parsed) {
    if (message.id.empty()) return refuse(envelope, "", parsed.error());
    return answer_fault(envelope, message.id, parsed.error());
  }
  if (message.kind == mcp::Message::Kind::request) return request(envelope, std::move(own));
  // A cancelled request gets no answer.
  if (mcp::local_of(message.method) == mcp::Local::cancelled) {
    pending_.erase(std::string(gateway::cancelled_id(message)));
  }
  conversation_->take(std::move(own));
}

void WireSession::request(const wire::Envelope& envelope, std::unique_ptr<mcp::OwnMessage> own) {
  const mcp::Message& message = own->message;
  const auto catalog = host_.catalog().current(*caller_);
  if (auto within = in_namespace_of_method(message, envelope.target_namespace, *catalog)) {
    return request_within(envelope, *within);
  }
  auto admitted = admit(message);
  if (!admitted) return refuse(envelope, message.id, admitted.error());
  auto upstream = upstream_of(envelope.target_namespace, *catalog);
  if (upstream && host_.catalog().synced()) {
    auto there = check_there(*upstream, *catalog);
    if (!there) upstream = there.error();
  }
  if (!upstream) return refuse(envelope, message.id, upstream.error());
  Pending pending{envelope.id, envelope.correlation_id, std::string(message.method), *upstream};
  std::string changed;
  if (mcp::local_of(message.method) == mcp::Local::initialize) {
    auto offer = read_offer(message);
    if (!offer) return answer_fault(envelope, message.id, offer.error());
    chunking_ = offer->chunking && sink_.in_pieces();
    changed = std::move(offer->request);
    pending.offer = *std::move(offer);
  } else if (mcp::action_of(message.method) == mcp::Action::call_tool && !upstream->empty()) {
    changed = call_within(*upstream, message, *catalog);
  }
  pending_.emplace(std::string(message.id), std::move(pending));
  if (changed.empty()) return conversation_->take(std::move(own));
  listener_->on_whole_message(std::move(changed), 0);
}

// The same request as one of MCP in a namespace.
void WireSession::request_within(const wire::Envelope& envelope, const NamedRequest& named) {
  wire::Envelope changed = envelope;
  changed.target_namespace = named.target_namespace;
  auto own = std::make_unique<mcp::OwnMessage>(named.request);
  auto parsed = mcp::parse(own->text, own->message);
  if (!parsed) return refuse(envelope, "", parsed.error());
  return request(changed, std::move(own));
}

Result<void> WireSession::admit(const mcp::Message& message) const {
  if (pending_.contains(message.id)) {
    return Error{Code::invalid_request, "a request with this id is already running"};
  }
  if (pending_.size() >= static_cast<std::size_t>(state_->settings.requests)) {
    return Error{Code::overloaded, fmt::format("{} requests of this connection are running already",
                                               state_->settings.requests)};
  }
  if (!is_counted(message.method)) return ok();
  // Several clients may share an address: those of one person, or all clients behind a proxy.
  const Principal& client = caller_->auth_method == AuthMethod::none ? connection_ : *caller_;
  policy::Rates::Permit permit;
  std::optional<policy::Quota> quota;
  auto admitted = state_->rates.admit({client, peer_.ip}, here().now(), permit, quota);
  if (admitted) return ok();
  Error refused = admitted.error();
  refused.message += " (wire.rate_limiting)";
  return refused;
}

// ---- Answers and notifications out

Result<void> WireSession::send(std::string message, const transport::Sending&) {
  // Notifications and questions need credentials that are still valid.
  if (mute()) return Error{Code::unavailable, "the client's credentials have expired"};
  return post({}, message, "");
}

Result<void> WireSession::answer(std::string_view id, const mcp::Reply& reply) {
  const auto asked = pending_.find(id);
  if (asked == pending_.end()) return post({}, mcp::response(id, reply), id);
  const Pending done = std::move(asked->second);
  pending_.erase(asked);
  const std::string metadata =
      done.correlation.empty()
          ? std::string()
          : fmt::format(R"({{"correlation_id":{}}})", json::quote(done.correlation));
  const wire::Heading heading{.correlation_id = done.envelope, .metadata = metadata};
  return post(heading, response_to(done, id, reply), id);
}

std::string WireSession::response_to(const Pending& asked, std::string_view id,
                                     const mcp::Reply& reply) const {
  if (reply.is_error && reply.body.starts_with(kMethodNotFound)) {
    const std::string error =
        fmt::format(R"({{"code":-32601,"message":"Method not found","data":{{"method":{}}}}})",
                    json::quote(asked.method));
    return mcp::response_head(id, true) + error + "}";
  }
  std::string result;
  if (!reply.is_error && asked.offer) {
    result = offer_result(*asked.offer, reply.body, state_->settings);
  } else if (!reply.is_error && !asked.upstream.empty()) {
    const auto catalog = host_.catalog().current(*caller_);
    result = listed_within(asked.upstream, asked.method, reply.body, *catalog);
  }
  if (result.empty()) return mcp::response(id, reply);
  return mcp::response_head(id, false) + result + "}";
}

Result<void> WireSession::post(const wire::Heading& heading, std::string_view payload,
                               std::string_view id) {
  const std::size_t piece = state_->settings.chunk.value;
  if (chunking_ && payload.size() > piece) {
    for (const auto& text : wire::cut(heading, payload, piece)) {
      auto sent = sink_.send(text, WireSink::Kind::message);
      if (!sent) return sent;
    }
    return ok();
  }
  std::string& text = host_.scratch();
  wire::write_to(text, heading, payload);
  if (text.size() <= sink_.most()) return sink_.send(text, WireSink::Kind::message);
  if (id.empty()) return Error{Code::too_large, "a message too large for a frame"};
  const Error too_large{
      Code::too_large, fmt::format("the answer has {} bytes and does not fit into a frame; declare "
                                   "`chunking` in the capabilities to get it in pieces",
                                   payload.size())};
  const std::string refusal = mcp::response(id, mcp::error_reply(too_large));
  return sink_.send(wire::write(heading, refusal), WireSink::Kind::message);
}

// The answer to a request that has an error.
void WireSession::answer_fault(const wire::Envelope& about, std::string_view id, const Error& why) {
  const std::string text = mcp::response(id, mcp::error_reply(why));
  auto sent = post({.correlation_id = about.id}, text, id);
  discard(sent, "if the client has disconnected, the transport ends the session");
}

// Sends the client why its message was refused.
void WireSession::refuse(const wire::Envelope& about, std::string_view id, const Error& why) {
  host_.shared().faults->add();
  const ErrorStyle style = state_->settings.error_style;
  const wire::Heading heading{.correlation_id = about.id};
  const bool as_response =
      !id.empty() && (style == ErrorStyle::jsonrpc || style == ErrorStyle::both);
  const std::string payload =
      as_response ? mcp::response(id, mcp::error_reply(why)) : std::string();
  Result<void> sent;
  if (as_response && style == ErrorStyle::jsonrpc) {
    sent = sink_.send(wire::write(heading, payload), WireSink::Kind::message);
  } else {
    const std::string fault = wire::fault_object(why, details_of(why));
    sent = sink_.send(wire::write_error(heading, fault, payload),
                      as_response ? WireSink::Kind::message : WireSink::Kind::error);
  }
  discard(sent, "if the client has disconnected, the transport ends the session");
}

void WireSession::notify_changed(gateway::CatalogChanges& update) {
  if (conversation_ && !mute()) conversation_->notify_changed(update);
}

void WireSession::notify_updated(gateway::ResourceUpdate& update) {
  if (conversation_ && !mute()) conversation_->notify_updated(update);
}

void WireSession::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  if (conversation_ && !mute()) conversation_->notify_task(upstream, update);
}

}  // namespace patchbay::frontends
