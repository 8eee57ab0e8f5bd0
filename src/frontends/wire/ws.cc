#include "frontends/wire/ws.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/discard.h"
#include "core/release.h"
#include "frontends/exchange_share.h"
#include "frontends/wire/session.h"
#include "json/read.h"
#include "json/text.h"
#include "mcp/message.h"
#include "net/websocket/handshake.h"
#include "net/websocket/socket.h"

namespace patchbay::frontends {
namespace {

using net::WsClose;

constexpr std::size_t kMostWaiting = 16;  // Texts that are read before the first one is processed.
constexpr auto kUnbounded =
    std::chrono::hours(24);  // The server itself ends connections that take longer.

net::WebSocketSettings socket_settings(const WireSettings& wire,
                                       std::chrono::nanoseconds write_time) {
  net::WebSocketSettings settings;
  settings.limits = {wire.max_frame.value, static_cast<std::size_t>(wire.ws.fragments)};
  settings.outbox = wire.outbox.value;
  settings.ping = wire.ping;
  settings.pong = wire.pong;
  settings.message_time = wire.frame_time;
  settings.write_time = write_time;
  settings.close_time = wire.ws.close_time;
  return settings;
}

// An MCP message, or a batch of them; any other text is an envelope or invalid.
bool is_plain(std::string_view text) {
  return mcp::is_batch(text) || json::member(text, "jsonrpc").has_value();
}

Task<void> refuse(net::HttpExchange& exchange, int status, std::string_view why,
                  std::string_view fields = "") {
  const std::string text = fmt::format("{{\"error\":{}}}\n", json::quote(why));
  co_return co_await exchange.answer(status, net::kJson, {text}, fields);
}

}  // namespace

// One client, from the upgrade on.
class WireWs::Client final : net::WebSocket::Receiver, WireSink, transport::Channel, Stop::Hook {
 public:
  using Upgraded = net::HttpExchange::Upgraded;

  Client(WireWs& frontend, net::HttpExchange& exchange, const Upgraded& upgraded)
      : frontend_(frontend),
        exchange_(exchange),
        most_(frontend.host_.state()->settings.max_message.value),
        socket_(upgraded.stream, upgraded.input, net::WsSide::server,
                socket_settings(frontend.host_.state()->settings, frontend.write_time_)) {}

  Task<void> run();

  template <class Notify>
  void notify(Notify notify) {
    if (!still_stands(*exchange_.caller)) return expire();
    notify(*conversation_);
  }

 private:
  Task<std::string> next();
  Task<void> serve_wire(std::string text);
  Task<void> serve_plain(std::string text);
  template <class Served>
  Task<void> end(Served& served);
  void expire() { leave(WsClose::policy, "the credentials have expired"); }
  void leave(WsClose code, std::string_view why);
  bool over() const { return left_ || stopping_ || (ended_ && texts_.empty()); }
  Result<void> put(std::string_view text);

  // net::WebSocket::Receiver
  void on_text(std::string& text) override;
  void on_end(WsClose code, const std::string& why) override;
  // Stop::Hook: the server stops.
  void on_stop() override {
    stopping_ = true;
    update_.deliver(ok());
  }
  // WireSink
  Result<void> send(std::string_view text, Kind) override { return put(text); }
  std::size_t most() const override { return most_; }
  bool in_pieces() const override { return false; }
  // transport::Channel, for a conversation in plain MCP.
  void start(Listener& listener) override { listener_ = &listener; }
  Result<void> send(std::string message, const transport::Sending&) override {
    return put(message);
  }
  void close_sending() override {}
  void close() override {}

  WireWs& frontend_;
  net::HttpExchange& exchange_;
  const std::size_t most_;
  net::WebSocket socket_;
  std::optional<WireSession> session_;        // Either this one
  std::optional<Conversation> conversation_;  // or that one, decided by the first text.
  transport::Channel::Listener* listener_ = nullptr;
  std::vector<std::string> texts_;  // Not processed yet.
  OneShot<void> update_;            // A text has arrived, or none will.
  Scope scope_;
  bool ended_ = false;  // No text follows those that have arrived.
  bool left_ = false;   // The client has disconnected, or is to be disconnected.
  bool stopping_ =
      false;  // The server stops: pending requests are answered, and no more are accepted.
};

Task<void> WireWs::Client::run() {
  if (exchange_.idle.requested()) {
    stopping_ = true;
  } else {
    link(exchange_.idle);
  }
  socket_.start(*this);
  auto first = co_await next();
  if (first) {
    auto served = is_plain(*first) ? co_await serve_plain(*std::move(first))
                                   : co_await serve_wire(*std::move(first));
    discard(served, "however it ended, only the socket is left to close");
  }
  socket_.close(stopping_ ? WsClose::going_away : WsClose::normal, stopping_ ? "stopping" : "");
  co_return co_await socket_.over();
}

// The next text; fails if there will be none.
Task<std::string> WireWs::Client::next() {
  while (texts_.empty() && !over()) {
    update_.reset();
    auto waited = co_await update_.wait();
    if (!waited) co_return waited.error();
  }
  if (over()) co_return Error{Code::unavailable, "no message follows"};
  std::string text = std::move(texts_.front());
  texts_.erase(texts_.begin());
  if (texts_.empty()) socket_.go_on();
  co_return text;
}

void WireWs::Client::on_text(std::string& text) {
  texts_.push_back(std::move(text));
  if (texts_.size() >= kMostWaiting) socket_.hold();
  update_.deliver(ok());
}

void WireWs::Client::on_end(WsClose, const std::string&) {
  ended_ = true;
  update_.deliver(ok());
  // Messages before a fault of the client are answered.
  if (socket_.open()) return socket_.answer_first();
  left_ = true;
  if (conversation_) conversation_->end_at_once();
  if (session_) session_->end_at_once();
  update_.deliver(ok());
}

void WireWs::Client::leave(WsClose code, std::string_view why) {
  socket_.close(code, why);
  on_end(code, "");
}

Result<void> WireWs::Client::put(std::string_view text) {
  auto sent = socket_.send(text);
  // A client that misses one answer cannot rely on the others.
  if (!sent && sent.error().code == Code::overloaded) {
    leave(WsClose::try_later, "the client reads too slowly");
  }
  return sent;
}

Task<void> WireWs::Client::serve_wire(std::string text) {
  const net::HttpPeer& peer = exchange_.peer;
  WirePeer from{"wire-ws", peer.address, peer.ip, nullptr, exchange_.caller};
  if (peer.certificate) from.certificate = std::make_shared<net::TlsPeer>(*peer.certificate);
  WireSink& sink = *this;
  session_.emplace(frontend_.host_, sink, std::move(from));
  scope_.spawn(session_->run(kUnbounded));
  for (Result<std::string> more = std::move(text); more;) {
    auto taken = co_await session_->take(*more);
    if (!taken) {
      leave(WsClose::policy, taken.error().message);
      break;
    }
    release(*more);  // No buffer is held while the client is idle.
    more = co_await next();
  }
  co_return co_await end(*session_);
}

Task<void> WireWs::Client::serve_plain(std::string text) {
  transport::Channel& channel = *this;
  conversation_.emplace(frontend_.host_.server(), channel,
                        gateway::CallOrigin{"mcp-ws", exchange_.caller, exchange_.peer.ip});
  frontend_.plain_.insert(this);
  scope_.spawn(conversation_->run(kUnbounded));
  for (Result<std::string> more = std::move(text); more;) {
    if (!still_stands(*exchange_.caller)) {
      expire();
      break;
    }
    listener_->on_message(*more, 0);
    release(*more);  // No buffer is held while the client is idle.
    more = co_await next();
  }
  frontend_.plain_.erase(this);
  co_return co_await end(*conversation_);
}

// Pending requests are answered, unless the client has disconnected or the server has no more time.
template <class Served>
Task<void> WireWs::Client::end(Served& served) {
  if (left_) {
    served.end_at_once();
  } else {
    served.end();
  }
  // A client that broke the protocol does not wait for calls in progress.
  const Deadline deadline =
      ended_ ? here().now() + frontend_.host_.state()->settings.ws.close_time : kNever;
  auto drained = co_await scope_.drain(deadline);
  if (drained) co_return drained;
  served.end_at_once();
  auto ending = scope_.drain(kNever);
  co_return co_await ending.shielded();
}

Task<void> WireWs::handle(net::HttpExchange& exchange) {
  const net::WsAnswer answer = net::answer_upgrade(exchange.request);
  if (!host_.state()->settings.ws.enabled) {
    co_return co_await refuse(exchange, 404, "there is no WebSocket here; see wire.ws");
  }
  if (answer.status != 101) {
    co_return co_await refuse(exchange, answer.status, answer.message, answer.fields);
  }
  if (exchange.idle.requested()) {
    co_return co_await refuse(exchange, 503, "the gateway is stopping", "Retry-After: 1\r\n");
  }
  auto share = take_share(ShareOf::websockets, exchange);
  if (!share) {
    co_return co_await refuse(exchange, 429, share.error().message, "Retry-After: 1\r\n");
  }
  auto switched = co_await exchange.switch_protocols(answer.fields);
  if (!switched) co_return switched.error();
  const metrics::Counted open(*host_.shared().websockets);
  Client client(*this, exchange, *switched);
  co_return co_await client.run();
}

template <class Notify>
void WireWs::each_plain(Notify notify) {
  // A client that is closed meanwhile removes itself.
  const auto now = plain_;
  for (Client* const client : now) {
    if (plain_.contains(client)) client->notify(notify);
  }
}

void WireWs::notify_changed(gateway::CatalogChanges& update) {
  each_plain([&](Conversation& conversation) { conversation.notify_changed(update); });
}

void WireWs::notify_updated(gateway::ResourceUpdate& update) {
  each_plain([&](Conversation& conversation) { conversation.notify_updated(update); });
}

void WireWs::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  each_plain([&](Conversation& conversation) { conversation.notify_task(upstream, update); });
}

}  // namespace patchbay::frontends
