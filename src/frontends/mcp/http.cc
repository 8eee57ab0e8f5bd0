#include "frontends/mcp/http.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "frontends/content_types.h"
#include "frontends/exchange_share.h"
#include "frontends/mcp/listening.h"
#include "frontends/mcp/post_call.h"
#include "frontends/mcp/subscriber.h"
#include "frontends/mcp/unreadable.h"
#include "frontends/quota_fields.h"
#include "frontends/received_context.h"
#include "gateway/call/client_info.h"
#include "gateway/call/make_call.h"
#include "gateway/parked_calls.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/methods.h"
#include "mcp/stateless.h"
#include "net/http/syntax/accept.h"

namespace patchbay::frontends {
namespace {

using net::HttpExchange;

int status_of(const Error& error) { return info(error.code).http; }

bool claims_stateless(std::string_view text) {
  mcp::Message message;
  if (!mcp::parse(text, message)) return false;
  const auto claimed = mcp::claimed_revision(message);
  return !claimed || (*claimed && mcp::info(**claimed).stateless);
}

// A request that names no revision in its body but one in its headers.
bool header_is_stateless(const HttpExchange& exchange) {
  const auto named = exchange.request.fields.find(kVersionHeader);
  const auto revision = named ? mcp::find_revision(*named) : std::nullopt;
  return revision && mcp::info(*revision).stateless;
}

}  // namespace

Task<void> answer_error(HttpExchange& exchange, int status, std::string_view id, Error error) {
  const std::string fields = retry_field(status, error.data.empty() ? "{}" : error.data);
  const mcp::Reply reply = mcp::error_reply(error);
  // If the id of a request could not be read, the stateless revision omits it in the answer, and
  // the others send null.
  const std::string text = id.empty() && header_is_stateless(exchange)
                               ? mcp::response_without_id(reply)
                               : mcp::response(id, reply);
  co_return co_await exchange.answer(status, net::kJson, {text}, fields);
}

Task<void> refuse_session(HttpExchange& exchange, std::string_view id, Error error) {
  // A request that may have run has a result of its own: no proxy should repeat it.
  const bool may_have_run = error.code == Code::upstream_failed && !id.empty();
  const int status = error.code == Code::invalid_request ? 400
                     : may_have_run                      ? 200
                                                         : status_of(error);
  co_return co_await answer_error(exchange, status, id, std::move(error));
}

// Without a session the gateway asks questions in its results, so a client has no requests to
// respond to.
Task<void> refuse_response(HttpExchange& exchange) {
  Error refused{Code::invalid_request,
                "a response answers nothing in this revision: send the "
                "answers as inputResponses of the call"};
  co_return co_await answer_error(exchange, 400, "", std::move(refused));
}

McpHttp::McpHttp(int number, gateway::McpServer& server, Shared& shared,
                 cluster::Forwarder& forwarder, const McpHttpSettings& settings)
    : number_(number),
      shared_(shared),
      state_(number, shared.sessions.members.run(), server, settings),
      sessions_(number, shared.sessions, state_.streams),
      nodes_(shared.sessions.members, forwarder) {
  sessions_.on_end(
      [this](SessionPtr session) { shutdowns_.spawn(send_shutdown(std::move(session))); });
  sessions_.on_restore([this](SessionPtr session, std::string from, std::vector<std::string> uris) {
    restored(std::move(session), std::move(from), std::move(uris));
  });
  state_.save_session = [this](const SessionPtr& session) { sessions_.save(session); };
}

void McpHttp::update(const McpHttpSettings& settings) {
  state_.settings = settings;
  state_.streams.set_limits(settings.replay);
}

Task<void> McpHttp::handle(HttpExchange& exchange) {
  const auto method = exchange.request.method;
  if (method == "POST") return post(exchange);
  if (method == "GET") return get(exchange);
  return end_session(exchange);
}

net::HttpRefusal McpHttp::refusal(const net::HttpRequest&, int status,
                                  std::string_view message) const {
  const Code code = status == 503   ? Code::overloaded
                    : status == 413 ? Code::too_large
                                    : Code::invalid_request;
  const Error error{code, std::string(message)};
  return {net::kJson, mcp::response("", mcp::error_reply(error)) + "\n"};
}

Task<void> McpHttp::post(HttpExchange& exchange) {
  if (!net::is_json(exchange.request)) {
    Error wrong{Code::invalid_request, "Content-Type must be application/json"};
    co_return co_await answer_error(exchange, 415, "", std::move(wrong));
  }
  if (!accepts(exchange.request, net::kJson) || !accepts(exchange.request, net::kEventStream)) {
    Error wrong{Code::invalid_request,
                "Accept must allow both application/json and text/event-stream"};
    co_return co_await answer_error(exchange, 406, "", std::move(wrong));
  }
  if (mcp::is_batch(exchange.body)) co_return co_await post_batch(exchange);
  mcp::Message message;
  auto parsed = mcp::parse(exchange.body, message);
  if (!parsed) {
    const std::string_view id = id_of_unreadable(message, parsed.error());
    co_return co_await answer_error(exchange, 400, id, parsed.error());
  }
  co_return co_await post_message(exchange, message);
}

// Which revision: the body decides before the headers, and a stated revision is never silently
// replaced by an older one.
Task<void> McpHttp::post_message(HttpExchange& exchange, const mcp::Message& message) {
  auto claimed = mcp::claimed_revision(message);
  if (!claimed && claimed.error().code == Code::unsupported_version) {
    auto same = mcp::check_version_header(message, exchange.request.fields.find(kVersionHeader));
    if (!same) claimed = same.error();
  }
  if (!claimed) co_return co_await answer_error(exchange, 400, message.id, claimed.error());
  if (*claimed && mcp::info(**claimed).stateless) {
    co_return co_await post_stateless(exchange, message, **claimed);
  }
  const bool request = message.kind == mcp::Message::Kind::request;
  if (request && mcp::local_of(message.method) == mcp::Local::initialize) {
    co_return co_await post_initialize(exchange, message);
  }
  if (header_is_stateless(exchange)) {
    if (message.kind == mcp::Message::Kind::response) co_return co_await refuse_response(exchange);
    if (!request) co_return co_await exchange.answer(202, "", {});
    auto envelope = mcp::check_envelope(message);
    co_return co_await answer_error(exchange, 400, message.id, envelope.error());
  }
  co_return co_await post_session(exchange, message);
}

Task<void> McpHttp::post_stateless(HttpExchange& exchange, const mcp::Message& message,
                                   mcp::Revision revision) {
  if (message.kind != mcp::Message::Kind::request) co_return co_await exchange.answer(202, "", {});
  const auto* const method = mcp::find_method(message.method, revision);
  const auto& fields = exchange.request.fields;
  const mcp::MirrorHeaders headers{fields.find(kVersionHeader), fields.find("Mcp-Method"),
                                   fields.find("Mcp-Name")};
  auto checked = mcp::check_envelope(message);
  if (checked) checked = mcp::check_headers(message, method, headers);
  if (!checked) co_return co_await answer_error(exchange, 400, message.id, checked.error());
  auto usable = state_.server.check_method(message, method, *exchange.caller);
  if (!usable) co_return co_await answer_error(exchange, 404, message.id, usable.error());
  if (method->local == mcp::Local::listen) co_return co_await listen(exchange, message);
  if (const auto* const given = message.param("requestState")) {
    const auto state = json::as_string(given->raw).value_or("");
    auto forwarded = co_await nodes_.forward_to(exchange, gateway::ParkedCalls::node_of(state));
    if (!forwarded) {
      co_return co_await answer_error(exchange, 200, message.id, forwarded.error());
    }
    if (*forwarded) co_return ok();
  }
  co_return co_await run_call(exchange, message, *method, revision, nullptr);
}

Task<void> McpHttp::post_initialize(HttpExchange& exchange, const mcp::Message& message) {
  auto revision = state_.server.negotiate(message);
  if (!revision) co_return co_await answer_error(exchange, 400, message.id, revision.error());
  auto allowed = state_.server.may_initialize(*exchange.caller, exchange.peer.ip);
  if (!allowed)
    co_return co_await answer_error(exchange, status_of(allowed.error()), message.id,
                                    allowed.error());
  auto result = co_await state_.server.initialize_result(*revision, exchange.caller);
  if (!result)
    co_return co_await answer_error(exchange, status_of(result.error()), message.id,
                                    result.error());
  const std::string capabilities = gateway::client_capabilities(message);
  auto session = sessions_.create({*revision, capabilities, gateway::client_info_of(message)},
                                  session_visitor(exchange));
  if (!session)
    co_return co_await answer_error(exchange, status_of(session.error()), message.id,
                                    session.error());
  list_session(*session, exchange.peer.ip);
  const auto reply = mcp::result_reply(*std::move(result));
  const std::string text = mcp::response(message.id, reply);
  const std::string fields = fmt::format("{}: {}\r\n", kSessionHeader, (*session)->id);
  co_return co_await exchange.answer(200, net::kJson, {text}, fields);
}

Task<void> McpHttp::post_session(HttpExchange& exchange, const mcp::Message& message) {
  // A tool may do something that must not be done twice.
  const bool once = message.kind != mcp::Message::Kind::request || message.method == "tools/call";
  auto session = co_await session_of(exchange, once ? Repeatable::no : Repeatable::yes);
  if (!session) co_return co_await refuse_session(exchange, message.id, session.error());
  if (!*session) co_return ok();
  const gateway::SessionUse use(*session);
  if (message.kind == mcp::Message::Kind::response) answered(message, *session);
  if (message.kind == mcp::Message::Kind::notification) notified(message, session->get());
  if (message.kind != mcp::Message::Kind::request) co_return co_await exchange.answer(202, "", {});
  const mcp::Revision revision = (*session)->revision;
  auto method = state_.server.method_of(message, revision, *exchange.caller);
  if (!method) co_return co_await answer_error(exchange, 200, message.id, method.error());
  if ((*method)->local == mcp::Local::set_level) {
    if (auto level = gateway::asked_level(message)) {
      (*session)->log_level = *level;
      sessions_.save(*session);
    }
  }
  co_return co_await run_call(exchange, message, **method, revision, *std::move(session));
}

// A notification needs no answer. A cancellation is forwarded, since the call may run on any
// worker.
void McpHttp::notified(const mcp::Message& message, const gateway::Session* session) {
  if (mcp::local_of(message.method) != mcp::Local::cancelled) return;
  const std::string id(gateway::cancelled_id(message));
  for (std::size_t i = 0; i < shared_.workers.size(); ++i) {
    McpHttp& there = *shared_.workers[i];
    shared_.sessions.executors[i]->post(
        [&there, session, id] { there.state_.in_flight.cancel(session, id); });
  }
}

// The answer to a question of an upstream goes to the worker that asked it.
void McpHttp::answered(const mcp::Message& message, SessionPtr session) {
  const auto worker = gateway::worker_of_question(message.id);
  if (!worker || static_cast<std::size_t>(*worker) >= shared_.workers.size()) return;
  const auto index = static_cast<std::size_t>(*worker);
  McpHttp& there = *shared_.workers[index];
  shared_.sessions.executors[index]->post([&there, session = std::move(session),
                                           id = std::string(message.id),
                                           reply = mcp::reply_of(message)]() mutable {
    there.state_.questions.answer(session.get(), id, std::move(reply));
  });
}

Task<void> McpHttp::post_batch(HttpExchange& exchange) {
  auto messages = mcp::split_batch(exchange.body);
  if (!messages) co_return co_await answer_error(exchange, 400, "", messages.error());
  auto session = co_await session_of(exchange, Repeatable::no);
  if (!session) co_return co_await refuse_session(exchange, "", session.error());
  if (!*session) co_return ok();
  const gateway::SessionUse use(*session);
  Error refused{Code::invalid_request, ""};
  if (!mcp::info((*session)->revision).batches) {
    refused.message =
        fmt::format("revision {} has no batches", mcp::info((*session)->revision).name);
  } else if (messages->empty()) {
    refused.message = "a batch must not be empty";
  } else if (messages->size() > state_.server.max_batch()) {
    refused.message = fmt::format("a batch has at most {} messages (limits.max_batch_messages)",
                                  state_.server.max_batch());
  } else if (std::ranges::any_of(*messages, claims_stateless)) {
    refused.message = "a request of a revision without batches must not be part of one";
  }
  if (!refused.message.empty()) {
    co_return co_await answer_error(exchange, 400, "", std::move(refused));
  }

  std::vector<std::string> answers(messages->size());
  Scope all;
  for (std::size_t i = 0; i < messages->size(); ++i) {
    // view: of a body that is alive until all of them are drained.
    all.spawn(answer_one((*messages)[i], *session, exchange, answers[i]));
  }
  auto done = co_await all.drain(kNever);
  if (!done) {
    all.cancel();
    auto ending = all.drain(kNever);
    done = co_await ending.shielded();
  }
  std::string text;
  for (const auto& answer : answers) {
    if (answer.empty()) continue;
    text += text.empty() ? "[" : ",";
    text += answer;
  }
  if (text.empty()) co_return co_await exchange.answer(202, "", {});
  text += ']';
  co_return co_await exchange.answer(200, net::kJson, {text});
}

// One message of a batch; `out` stays empty if it wants no answer. The answers leave together, so
// there is no stream on which progress could come earlier.
Task<void> McpHttp::answer_one(std::string_view text, SessionPtr session, HttpExchange& exchange,
                               std::string& out) {
  mcp::Message message;
  auto parsed = mcp::parse(text, message);
  if (!parsed) {
    out =
        mcp::response(id_of_unreadable(message, parsed.error()), mcp::error_reply(parsed.error()));
    co_return ok();
  }
  if (message.kind == mcp::Message::Kind::response) answered(message, session);
  if (message.kind == mcp::Message::Kind::notification) notified(message, session.get());
  if (message.kind != mcp::Message::Kind::request) co_return ok();
  auto method = state_.server.method_of(message, session->revision, *session->owner);
  if (method && (*method)->local == mcp::Local::initialize) {
    method = Error{Code::invalid_request, "initialize must not be part of a batch"};
  }
  if (!method) {
    out = mcp::response(message.id, mcp::error_reply(method.error()));
    co_return ok();
  }
  gateway::SilentPeer client;
  auto call = gateway::make_call({.request = message,
                                  .method = **method,
                                  .revision = session->revision,
                                  .frontend = "mcp-http",
                                  .caller = session->owner,
                                  .from = exchange.peer.ip,
                                  .client = client,
                                  .deadline = state_.server.deadline(),
                                  .bytes_in = text.size(),
                                  .client_info = session->client_info,
                                  .trace = received_context(exchange),
                                  .authenticated = exchange.authenticated});
  Stop stop;
  const StopLink link(co_await current_stop(), stop);
  const gateway::InFlight::Entry entry(state_.in_flight, session.get(), message.id, stop);
  auto task = state_.server.answer(call);
  auto reply = co_await task.with_stop(stop);
  out = mcp::response(message.id, reply ? *reply : mcp::error_reply(reply.error()));
  co_return ok();
}

Task<void> McpHttp::run_call(HttpExchange& exchange, const mcp::Message& message,
                             const mcp::Method& method, mcp::Revision revision,
                             SessionPtr session) {
  PostCall running(state_, exchange, message, method, revision, std::move(session));
  co_return co_await running.run();
}

Task<void> McpHttp::end_session(HttpExchange& exchange) {
  auto session = co_await session_of(exchange, Repeatable::yes);
  if (!session) co_return co_await refuse_session(exchange, "", session.error());
  if (!*session) co_return ok();
  auto stored = co_await sessions_.end_for_good(*session);
  discard(stored, "it has ended here, and the log has why that may not last");
  co_return co_await exchange.answer(204, "", {});
}

void McpHttp::notify_changed(gateway::CatalogChanges& update) {
  sessions_.each_on_worker([&](gateway::Session& session) {
    if (!session.stream) return;
    for (const auto notification : update.of(*session.owner)) {
      session.stream->append(mcp::notification(notification, ""));
    }
  });
  for (auto* const listening : listenings_) listening->notify_changed(update);
}

void McpHttp::notify_updated(gateway::ResourceUpdate& update) {
  sessions_.each_on_worker([&](gateway::Session& session) {
    if (!session.stream) return;
    const std::string& uri = update.of(*session.owner);
    if (!session.subscriber.wants(uri)) return;
    session.stream->append(
        mcp::notification("notifications/resources/updated", updated_params(uri)));
  });
  for (auto* const listening : listenings_) listening->notify_updated(update);
}

void McpHttp::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  sessions_.each_on_worker([&](gateway::Session& session) {
    const std::string text = task_message(session.tasks, upstream, update);
    if (session.stream && !text.empty()) session.stream->append(text);
  });
  for (auto* const listening : listenings_) listening->notify_task(upstream, update);
}

// Ends the subscriptions of a session that has ended.
Task<void> McpHttp::send_shutdown(SessionPtr session) {
  co_return co_await unsubscribe_all(state_.server, {"mcp-http", session->owner},
                                     session->subscriber);
}

Task<void> McpHttp::stop() {
  shutdowns_.cancel();
  auto drained = co_await shutdowns_.drain(kNever);
  if (!drained) co_return drained;
  co_return co_await sessions_.stop();
}

void McpHttp::sweep() {
  state_.streams.sweep(here().now());
  sessions_.sweep(here().now());
}

}  // namespace patchbay::frontends
