// The listening side of the stateless revision: a POST whose response is a stream of notifications.
#include "core/discard.h"
#include "frontends/exchange_share.h"
#include "frontends/exchange_sink.h"
#include "frontends/mcp/http.h"
#include "frontends/mcp/listening.h"

namespace patchbay::frontends {

Task<void> McpHttp::listen(net::HttpExchange& exchange, const mcp::Message& message) {
  auto filter = Listening::filter_of(message);
  if (!filter) {
    const int status = filter.error().code == Code::missing_capability ? 400 : 200;
    co_return co_await answer_error(exchange, status, message.id, filter.error());
  }
  auto share = take_share(ShareOf::streams, exchange);
  if (!share) co_return co_await answer_error(exchange, 429, message.id, share.error());
  const std::string id(message.id);
  exchange.begin_stream();
  ExchangeSink sink(exchange);
  const StreamGuard guard(exchange, sink);
  Listening listening(state_.server, {"mcp-http", exchange.caller, exchange.peer.ip}, message,
                      [&sink](std::string_view text) {
                        sink.on_event(gateway::event_frame("", text),
                                      gateway::EventKind::notification);
                      });
  exchange.forget_request();
  listenings_.insert(&listening);
  auto begun = co_await listening.begin(*std::move(filter));
  if (begun) begun = co_await sink.stay_open(state_.settings.keep_alive);
  listenings_.erase(&listening);
  if (!guard.left()) {
    // The gateway ends it: the client gets a result.
    sink.on_event(gateway::event_frame("", mcp::response(id, listening.last_result())),
                  gateway::EventKind::answer);
  }
  sink.disconnect();
  auto ended = co_await exchange.end_stream();
  auto unsubscribed = co_await listening.end();
  discard(unsubscribed, "an upstream that is down has no subscription");
  co_return ended;
}

}  // namespace patchbay::frontends
