#include "router/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/discard.h"
#include "core/ids.h"
#include "json/read.h"
#include "json/text.h"
#include "mcp/compose.h"
#include "mcp_client/connect/http.h"
#include "mcp_client/connect/wire.h"
#include "mcp_client/connect/ws.h"
#include "observe/log.h"
#include "transport/wire/envelope.h"
#include "transport/wire/url.h"

namespace patchbay::app {
namespace {

using upstreams::Connector;

Result<std::unique_ptr<Connector>> tcp_connector(const RouterSettings& router,
                                                 const std::string& token) {
  auto url = transport::parse_wire_url(router.gateway);
  if (!url) return url.error();
  std::shared_ptr<const net::TlsContext> tls;
  if (url->tls) {
    auto made = upstreams::client_tls(router.tls);
    if (!made) return made.error();
    tls = *std::move(made);
  }
  upstreams::WireTcpSettings settings;
  settings.token = token;
  settings.outbox = router.outbox;
  settings.message = router.message;
  settings.connect_time = router.connect_time;
  settings.ping = router.ping;
  settings.pong = router.pong;
  return std::make_unique<upstreams::WireConnector>(*std::move(url), std::move(tls), settings);
}

Result<std::unique_ptr<Connector>> ws_connector(const RouterSettings& router,
                                                const std::string& token) {
  upstreams::WsSettings settings;
  settings.url = router.gateway;
  settings.tls = router.tls;
  settings.token = token;
  settings.envelope = upstreams::WsEnvelope::always;
  settings.outbox = router.outbox;
  settings.message = router.message;
  settings.connect_time = router.connect_time;
  settings.ping = router.ping;
  settings.pong = router.pong;
  auto target = upstreams::ws_target(settings);
  if (!target) return target.error();
  return std::make_unique<upstreams::WsConnector>(*std::move(target), settings);
}

Result<std::unique_ptr<Connector>> make_connector(const RouterSettings& settings,
                                                  const std::string& token) {
  return transport::is_wire_url(settings.gateway) ? tcp_connector(settings, token)
                                                  : ws_connector(settings, token);
}

}  // namespace

Result<void> check_gateway(const RouterSettings& settings) {
  if (settings.gateway.empty()) {
    return Error{Code::invalid_params,
                 "set the URL of the gateway: --gateway wss://HOST/mcp or tcps://HOST"};
  }
  if (!transport::is_wire_url(settings.gateway) && !settings.gateway.starts_with("ws")) {
    return Error{Code::invalid_params,
                 fmt::format("'{}' is not a gateway: it does not begin with ws://, wss://, tcp:// "
                             "or tcps://",
                             settings.gateway)};
  }
  auto made = make_connector(settings, "");
  if (!made) return made.error();
  if (settings.oauth) {
    auto oauth = RouterOauth::make(settings);
    if (!oauth) return oauth.error();
  }
  return ok();
}

Task<void> RouterLink::stop() {
  scope_.cancel();
  auto draining = scope_.drain(kNever);
  co_return co_await draining.shielded();
}

// Half of the pause is random, so that routers that lost their gateway together do not reconnect
// together.
std::chrono::nanoseconds RouterLink::next_pause() {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto most = settings_.reconnect.most.count();
  auto pause = std::min(settings_.reconnect.first.count(), most);
  for (int i = 0; i < failures_ && pause < most; ++i) pause = std::min(pause * 2, most);
  ++failures_;
  std::uniform_int_distribution<std::int64_t> part(pause / 2, pause);
  return std::chrono::milliseconds(part(random));
}

Task<void> RouterLink::keep() {
  for (;;) {
    auto lived = co_await run_connection();
    const bool stops = lived.error().code == Code::cancelled;
    owner_.on_down(*this, lived.error());
    if (stops) co_return lived;
    const auto pause = next_pause();
    log::Line(log::Level::warn, "gateway not connected")
        .add("connection", number_)
        .add("why", lived.error().message)
        .add_ms("again_in_ms", static_cast<double>(pause.count()) / 1e6);
    OneShot<void> woken;
    pausing_ = &woken;
    auto paused = co_await woken.wait(here().now() + pause);
    pausing_ = nullptr;
    if (!paused && paused.error().code == Code::cancelled) co_return paused;
  }
}

// One connection from start to end; yields why it ended.
Task<void> RouterLink::run_connection() {
  auto made = co_await connect();
  if (!made) co_return made.error();
  connection_ = *std::move(made);
  lost_.emplace();
  connection_->channel().start(*this);
  auto opened = co_await owner_.open(*this);
  if (opened) {
    log::Line(log::Level::info, "gateway connected")
        .add("connection", number_)
        .add("gateway", settings_.gateway);
    up_ = true;
    failures_ = 0;
    owner_.on_up(*this);
    opened = co_await lost_->wait();
    up_ = false;
  }
  // Whatever the reason, the connection may finish its closing handshake.
  auto ending = connection_->end(opened.error().code == Code::cancelled);
  auto ended = co_await ending.shielded();
  discard(ended, "the connection is gone either way");
  connection_.reset();
  for (const auto& [id, slot] : asked_) slot->deliver(Error{Code::unavailable, "the link is lost"});
  co_return opened.error();
}

Task<std::unique_ptr<upstreams::Connection>> RouterLink::connect() {
  const Deadline deadline = here().now() + settings_.connect_time;
  auto token = co_await token_.get(deadline);
  if (!token) co_return token.error();
  auto connector = make_connector(settings_, *token);
  if (!connector) co_return connector.error();
  auto connected = co_await (*connector)->connect(deadline);
  if (!connected && connected.error().code == Code::unauthenticated) token_.refused();
  co_return connected;
}

Result<void> RouterLink::send(std::string text) {
  if (!connection_) return Error{Code::unavailable, "the gateway is not connected"};
  return connection_->channel().send(std::move(text));
}

void RouterLink::renew(const Error& why) {
  if (lost_) lost_->deliver(why);
}

void RouterLink::use_token(const std::string& token) {
  if (connection_) connection_->use_token(token);
  if (pausing_) pausing_->deliver(ok());
}

Task<mcp::Reply> RouterLink::ask(std::string_view method, std::string_view params) {
  const std::string id = json::quote(fmt::format("router-{}-{}", random_uuid(), next_id_++));
  OneShot<mcp::Reply> answer;
  asked_[id] = &answer;
  auto sent = send(mcp::request(id, method, params));
  if (!sent) {
    asked_.erase(id);
    co_return sent.error();
  }
  auto answered = co_await answer.wait(here().now() + settings_.connect_time);
  asked_.erase(id);
  co_return answered;
}

void RouterLink::on_message(std::string_view text, std::uint64_t /*cause*/) {
  if (!asked_.empty()) {
    mcp::Message message;
    if (mcp::parse(text, message) && message.kind == mcp::Message::Kind::response) {
      const auto found = asked_.find(std::string(message.id));
      if (found != asked_.end()) return found->second->deliver(mcp::reply_of(message));
    }
  }
  owner_.on_message(*this, text);
}

void RouterLink::on_closed(const std::string& why) {
  const Error lost{Code::unavailable, why};
  for (const auto& [id, slot] : asked_) slot->deliver(lost);
  lost_->deliver(lost);
}

}  // namespace patchbay::app
