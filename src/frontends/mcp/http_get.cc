// The GET side of the Streamable HTTP frontend: the stream of messages that belong to no request,
// and the resumption of streams whose connection broke.
#include "async/hop.h"
#include "core/discard.h"
#include "frontends/exchange_share.h"
#include "frontends/exchange_sink.h"
#include "frontends/mcp/http.h"

namespace patchbay::frontends {
Task<void> McpHttp::get(net::HttpExchange& exchange) {
  auto session = co_await session_of(exchange, Repeatable::yes);
  if (!session) co_return co_await refuse_session(exchange, "", session.error());
  if (!*session) co_return ok();
  const auto accept = exchange.request.fields.find("Accept");
  if (accept && !net::has_token(*accept, net::kEventStream) && !net::has_token(*accept, "*/*")) {
    Error wrong{Code::invalid_request, "Accept must allow text/event-stream"};
    co_return co_await answer_error(exchange, 406, "", std::move(wrong));
  }
  auto share = take_share(ShareOf::streams, exchange);
  if (!share) co_return co_await answer_error(exchange, 429, "", share.error());
  const gateway::SessionUse use(*session);
  auto listed = gateway::open_clients().add(
      {"stream", "mcp-http", exchange.caller, (*session)->client_info,
       std::string(mcp::info((*session)->revision).name), exchange.peer.ip});
  const StreamPosition from =
      position_of(**session, exchange.request.fields.find("Last-Event-ID").value_or(""));
  exchange.begin_stream();
  exchange.forget_request();
  auto sink = std::make_shared<ExchangeSink>(exchange);
  const StreamGuard guard(exchange, *sink);
  Stop stop;
  listed.on_end(here(), [&stop] { stop.request(); });
  auto attached = co_await attach(sink, *session, from);
  auto open = sink->stay_open(state_.settings.keep_alive);
  if (attached) attached = co_await open.with_stop(stop);
  sink->disconnect();
  // Its call may ask somebody: it must know that this client has gone.
  if (from.stream > 0 && guard.left()) {
    auto detached = co_await detach(sink, from);
    discard(detached, "a gateway that stops asks nobody any more");
  }
  co_return co_await exchange.end_stream();
}

// Without an event to resume from, it is the stream of messages that belong to no request.
McpHttp::StreamPosition McpHttp::position_of(const gateway::Session& session,
                                             std::string_view last_event) const {
  const auto id = gateway::parse_event_id(last_event);
  // A stream of an earlier process is gone; the client continues with what comes now.
  if (id && state_.streams.is_ours(id->stream) &&
      static_cast<std::size_t>(id->worker) < shared_.workers.size()) {
    return {id->worker, id->stream, id->event};
  }
  return {session.worker, 0, 0};
}

// Attaches the sink on the worker that has the stream.
Task<void> McpHttp::attach(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                           StreamPosition from) {
  McpHttp& there = *shared_.workers[static_cast<std::size_t>(from.worker)];
  Executor& executor = *shared_.sessions.executors[static_cast<std::size_t>(from.worker)];
  auto step = [&there, sink, session, from] {
    return there.attach_here(sink, session, from.stream, from.event);
  };
  co_return co_await hop<void>(executor, step);
}

// The sink reads a resumed stream no more.
Task<void> McpHttp::detach(std::shared_ptr<gateway::EventSink> sink, StreamPosition from) {
  McpHttp& there = *shared_.workers[static_cast<std::size_t>(from.worker)];
  Executor& executor = *shared_.sessions.executors[static_cast<std::size_t>(from.worker)];
  auto step = [&there, sink, from] { return there.detach_here(sink, from.stream); };
  co_return co_await hop<void>(executor, step);
}

Task<void> McpHttp::detach_here(std::shared_ptr<gateway::EventSink> sink, std::uint64_t stream) {
  if (auto found = stream > 0 ? state_.streams.find(stream) : nullptr) found->detach(sink.get());
  co_return ok();
}

Task<void> McpHttp::attach_here(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                                std::uint64_t stream, std::uint64_t after) {
  auto found = stream > 0 ? state_.streams.find(stream) : nullptr;
  // The streams of another session do not exist for this one.
  if (found && found->session() == session->id) {
    found->attach(std::move(sink), after);
    co_return ok();
  }
  if (session->worker != number_)
    co_return Error{Code::not_found, "this stream is no longer stored"};
  if (!session->stream) session->stream = state_.streams.create(session->id);
  session->stream->attach(std::move(sink), session->stream->last());
  co_return ok();
}

}  // namespace patchbay::frontends
