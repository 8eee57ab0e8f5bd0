// Sessions of the Streamable HTTP frontend that begin, or go on from an earlier process.
#include <chrono>

#include "core/discard.h"
#include "frontends/mcp/http.h"
#include "frontends/mcp/subscriber.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

// An upstream that is starting too gets this many attempts, with pauses that double.
constexpr int kAttempts = 6;
constexpr auto kFirstPause = std::chrono::milliseconds(500);

}  // namespace

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
