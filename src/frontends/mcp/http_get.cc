// The GET side of the Streamable HTTP front end: the stream of messages that belong to no request,
// and the resumption of streams whose connection broke.
#include "async/hop.h"
#include "frontends/exchange_share.h"
#include "frontends/exchange_sink.h"
#include "frontends/mcp/http.h"

namespace patchbay::frontends {
Task<void> McpHttp::get(net::HttpExchange& exchange) {
  auto session = co_await session_of(exchange);
  if (!session) co_return co_await refuse_session(exchange, "", session.error());
  const auto accept = exchange.request.fields.find("Accept");
  if (accept && !net::has_token(*accept, net::kEventStream) && !net::has_token(*accept, "*/*")) {
    Error wrong{Code::invalid_request, "Accept must allow text/event-stream"};
    co_return co_await answer_error(exchange, 406, "", std::move(wrong));
  }
  auto share = take_share(ShareOf::streams, exchange);
  if (!share) co_return co_await answer_error(exchange, 429, "", share.error());
  const gateway::SessionUse use(*session);
  std::string last(exchange.request.fields.find("Last-Event-ID").value_or(""));
  exchange.begin_stream();
  exchange.forget_request();
  auto sink = std::make_shared<ExchangeSink>(exchange);
  const StreamGuard guard(exchange, *sink);
  auto attached = co_await attach(sink, *session, std::move(last));
  if (attached) attached = co_await sink->stay_open(state_.settings.keep_alive);
  sink->disconnect();
  co_return co_await exchange.end_stream();
}

// Finds the worker that has the stream and attaches the sink there.
Task<void> McpHttp::attach(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                           std::string last_event) {
  int worker = session->worker;
  std::uint64_t stream = 0;
  std::uint64_t after = 0;
  const auto id = gateway::parse_event_id(last_event);
  if (id && static_cast<std::size_t>(id->worker) < shared_.workers.size()) {
    worker = id->worker;
    stream = id->stream;
    after = id->event;
  }
  McpHttp& there = *shared_.workers[static_cast<std::size_t>(worker)];
  Executor& executor = *shared_.sessions.executors[static_cast<std::size_t>(worker)];
  auto step = [&there, sink, session, stream, after] {
    return there.attach_here(sink, session, stream, after);
  };
  co_return co_await hop<void>(executor, step);
}

Task<void> McpHttp::attach_here(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                                std::uint64_t stream, std::uint64_t after) {
  auto found = stream > 0 ? state_.streams.find(stream) : nullptr;
  // The streams of another session do not exist for this one.
  if (found && found->session() == session->id) {
    found->attach(std::move(sink), after);
    co_return ok();
  }
  if (session->worker != number_) co_return Error{Code::not_found, "this stream is forgotten"};
  if (!session->stream) session->stream = state_.streams.create(session->id);
  session->stream->attach(std::move(sink), session->stream->last());
  co_return ok();
}

}  // namespace patchbay::frontends
