// Sessions of the Streamable HTTP frontend: finding them, here and on other nodes, and going on
// with those of an earlier process.
#include <fmt/format.h>

#include <chrono>

#include "core/discard.h"
#include "frontends/exchange_share.h"
#include "frontends/mcp/http.h"
#include "frontends/mcp/subscriber.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

// An upstream that is starting too gets this many attempts, with pauses that double.
constexpr int kAttempts = 6;
constexpr auto kFirstPause = std::chrono::milliseconds(500);

}  // namespace

gateway::SessionVisitor session_visitor(const net::HttpExchange& exchange) {
  return {exchange.caller, share_owner_of(exchange), exchange.peer.ip, exchange.forwarded()};
}

Task<McpHttp::SessionPtr> McpHttp::session_of(net::HttpExchange& exchange, Repeatable repeatable) {
  const auto& fields = exchange.request.fields;
  const auto named = fields.find(kVersionHeader);
  if (named && !mcp::find_revision(*named)) {
    co_return Error{Code::invalid_request,
                    fmt::format("the {} '{}' is not supported", kVersionHeader, *named)};
  }
  const auto id = fields.find(kSessionHeader);
  if (!id) {
    co_return Error{Code::invalid_request,
                    fmt::format("the {} header is missing: send initialize first", kSessionHeader)};
  }
  if (nodes_.members().certain()) {
    if (auto known = sessions_.known(*id, *exchange.caller)) co_return known;
  }
  co_return co_await find_session(exchange, std::string(*id), repeatable);
}

// Here, or on another node.
Task<McpHttp::SessionPtr> McpHttp::find_session(net::HttpExchange& exchange, std::string id,
                                                Repeatable repeatable) {
  auto synced = co_await nodes_.members().sync();
  if (!synced) co_return synced.error();
  const gateway::SessionVisitor visitor = session_visitor(exchange);
  auto found = co_await sessions_.find(id, visitor);
  if (!found) co_return found.error();
  if (found->session) co_return found->session;
  if (exchange.forwarded()) {
    exchange.pass_back(found->elsewhere);
    co_return nullptr;
  }
  const auto locate = [&](cluster::Run named) -> Task<cluster::Run> {
    if (named != 0) sessions_.note_owner(id, named);
    found = co_await sessions_.find(id, visitor);
    if (!found) co_return found.error();
    co_return found->elsewhere;
  };
  auto forwarded = co_await nodes_.forward(exchange, found->elsewhere, repeatable, locate);
  if (!forwarded) co_return forwarded.error();
  co_return *forwarded ? nullptr : found->session;
}

// An admin sees it, and can end it. REQUIRES: this is its owner worker.
void McpHttp::list_session(const SessionPtr& session, std::string from) {
  session->listed = gateway::open_clients().add(
      {"session", "mcp-http", session->owner, session->client_info,
       std::string(mcp::info(session->revision).name), std::move(from)});
  session->listed.on_end(here(), [this, weak = std::weak_ptr(session)] {
    if (const auto open = weak.lock()) sessions_.end(*open);
  });
}

void McpHttp::restored(SessionPtr session, std::string from, std::vector<std::string> uris) {
  list_session(session, from);
  for (const auto& uri : uris) session->subscriber.add(uri);
  if (uris.empty()) return;
  shutdowns_.spawn(subscribe_again(std::move(session), std::move(from), std::move(uris)));
}

// The client may end its subscriptions or its session meanwhile.
Task<void> McpHttp::subscribe_again(SessionPtr session, std::string from,
                                    std::vector<std::string> uris) {
  for (const auto& uri : uris) {
    auto subscribed = co_await subscribe_when_up(*session, from, uri);
    if (!subscribed) co_return subscribed.error();
    if (!*subscribed) {
      session->subscriber.remove(uri);
      continue;
    }
    if (!session->ended && session->subscriber.wants(uri)) continue;
    auto undone = co_await subscribe(state_.server, {"mcp-http", session->owner, from},
                                     "resources/unsubscribe", uri);
    discard(undone, "an upstream that is down has no subscription");
  }
  co_return ok();
}

Task<bool> McpHttp::subscribe_when_up(const gateway::Session& session, const std::string& from,
                                      const std::string& uri) {
  auto pause = kFirstPause;
  for (int attempt = 1;; ++attempt, pause *= 2) {
    if (session.ended || !session.subscriber.wants(uri)) co_return false;
    auto reply = co_await subscribe(state_.server, {"mcp-http", session.owner, from},
                                    "resources/subscribe", uri);
    if (!reply && reply.error().code == Code::cancelled) co_return reply.error();
    if (reply && !reply->is_error) co_return true;
    if (attempt == kAttempts) {
      log::Line(log::Level::warn, "subscription not restored")
          .add("session", session.digest)
          .add("why", reply ? reply->body : reply.error().message);
      co_return false;
    }
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept.error();
  }
}

}  // namespace patchbay::frontends
