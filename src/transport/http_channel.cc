#include "transport/http_channel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "core/http_token.h"
#include "json/read.h"
#include "mcp/methods.h"
#include "mcp/stateless.h"
#include "net/http/syntax/accept.h"
#include "transport/context_fields.h"

namespace patchbay::transport {
namespace {

constexpr std::string_view kSession = "Mcp-Session-Id";
constexpr std::string_view kVersionField = "MCP-Protocol-Version";
constexpr std::size_t kUsualFields = 256;  // Bytes of the header lines of a call.
constexpr int kMostResumes = 5;            // In a row without a single event.
constexpr auto kRetry = std::chrono::milliseconds(1'000);
constexpr auto kLongestPause = std::chrono::milliseconds(30'000);
// The timeout of a stream after its response: it has nothing more to send.
constexpr auto kLeaveTaking = std::chrono::seconds(1);

// A server that is unreachable for longer counts as lost.
constexpr std::int64_t kLongestRetryAfter = 30 * 24 * 3600;

void add_field(std::string& fields, std::string_view name, std::string_view value) {
  for (const auto piece : {name, std::string_view(": "), value, std::string_view("\r\n")}) {
    fields += piece;
  }
}

bool is_event_stream(const net::HttpResponse& response) {
  return response.status() == 200 &&
         same_token(net::media_type(response.field("Content-Type")), "text/event-stream");
}

// Statuses of servers that do not support what was posted.
bool is_foreign(int status) {
  return status == 400 || status == 404 || status == 405 || status == 406 || status == 415 ||
         status == 501;
}

// A stream that ended with these is not resumed: it would end the same again.
bool is_final(const Error& error) {
  return error.code == Code::cancelled || error.code == Code::too_large;
}

}  // namespace

std::string reason_of(const HttpTarget& target, int status, std::string_view body) {
  const auto error = json::check(body) ? json::member(body, "error") : std::nullopt;
  const auto why = error ? json::string_member(*error, "message") : std::nullopt;
  const bool hint = status == 401 && !target.on_401.empty();
  return fmt::format("HTTP status {}{}{}{}{}", status, why ? ": " : "", why.value_or(""),
                     hint ? "; " : "", hint ? target.on_401 : "");
}

Error fault_of_server(const Error& error) {
  return error.code == Code::too_large ? Error{Code::upstream_failed, error.message} : error;
}

HttpChannel::HttpChannel(const HttpTarget& target)
    : target_(target), pool_(target.url, target.tls, target.pool) {}

Result<void> HttpChannel::send(std::string message, const Sending& how) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  const bool in_session = how.revision && !mcp::info(*how.revision).stateless && !session_.empty();
  posts_.spawn(post({.message = std::move(message),
                     .fields = fields_of(how),
                     .id = how.id,
                     .session = in_session ? sessions_ : 0,
                     .opens = !how.revision && how.id != 0,
                     .harmless = mcp::only_reads(how.method)}));
  return ok();
}

std::string HttpChannel::fields_of(const Sending& how) const {
  std::string text;
  text.reserve(kUsualFields + target_.fields.size());
  text = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  text += target_.fields;
  const bool stateless = how.revision && mcp::info(*how.revision).stateless;
  if (!stateless && how.revision && !session_.empty()) {
    add_field(text, kSession, session_);
  }
  // The first revision with this transport did not have the header.
  if (how.revision && *how.revision >= mcp::Revision::v2025_06_18) {
    add_field(text, kVersionField, mcp::info(*how.revision).name);
  }
  if (stateless && !how.method.empty()) {
    add_field(text, "Mcp-Method", how.method);
    if (!how.name.empty()) add_field(text, "Mcp-Name", mcp::encode_header(how.name));
    text += how.fields;
  }
  if (how.context) append_context(text, *how.context);
  return text;
}

bool HttpChannel::abandon(std::uint64_t id) {
  if (const auto found = running_.find(id); found != running_.end()) {
    found->second.stop->request();
  }
  // Without a session, closing the connection is enough.
  return revision_ && mcp::info(*revision_).stateless;
}

void HttpChannel::close() {
  closed_ = true;
  stream_stop_.request();
  posts_.cancel();
}

Task<void> HttpChannel::post(Post post) {
  Stop stop;
  const StopLink link(co_await current_stop(), stop);
  if (post.id != 0) running_.emplace(post.id, Running{&stop, &post.begun});
  auto task = exchange(post);
  auto done = co_await task.with_stop(stop);
  if (!done && post.harmless && net::died_unanswered(done.error())) {
    auto again = exchange(post);
    done = co_await again.with_stop(stop);
  }
  if (post.id != 0) running_.erase(post.id);
  if (!done) failed(post, fault_of_server(done.error()));
  co_return ok();
}

void HttpChannel::failed(const Post& post, const Error& error) {
  if (closed_ || error.code == Code::cancelled) return;
  const bool gone = error.code == Code::unavailable;
  // Nothing can resume what was sent: it is lost in any case.
  const Error lost = gone && post.begun ? Error{Code::upstream_failed, error.message} : error;
  if (post.id != 0) listener_->on_lost(post.id, lost);
  if (gone && !closed_) nobody_there(error);
}

// Unsent messages fail as unsent and may be sent elsewhere; the others are lost with the channel.
void HttpChannel::nobody_there(const Error& error) {
  closed_ = true;
  std::vector<std::uint64_t> unsent;
  for (const auto& [id, running] : running_) {
    if (!*running.begun) unsent.push_back(id);
  }
  for (const auto id : unsent) listener_->on_lost(id, error);
  listener_->on_closed(error.message);
}

Task<void> HttpChannel::exchange(Post& post) {
  const Deadline deadline = post.id != 0 ? kNever : here().now() + kAcceptance;
  const net::HttpCall call{"POST", target_.url.path, post.fields, post.message, &post.begun};
  auto asked = request_as(target_.credentials.get(), pool_, call, deadline);
  auto response = co_await asked;
  if (!response) co_return response.error();
  // Only the response to a handshake may assign the session.
  if (const auto session = (*response)->field(kSession); post.opens && !session.empty()) {
    session_ = session;
    ++sessions_;
  }
  if (is_event_stream(**response) && post.id != 0) {
    co_return co_await receive(**response, post.id);
  }
  co_return co_await receive_answer(**response, post);
}

// One JSON text, or nothing.
Task<void> HttpChannel::receive_answer(net::HttpResponse& response, const Post& post) {
  const std::uint64_t id = post.id;
  const int status = response.status();
  std::string whole;
  auto body = response.body_at_hand();
  // A 202 without a length or chunks has no body.
  if (!body && status == 202) body = "";
  if (!body) {
    auto read =
        co_await response.read_all(target_.most, id != 0 ? kNever : here().now() + kAcceptance);
    if (!read) co_return read.error();
    whole = *std::move(read);
    body = whole;
  }
  if (status < 200 || status > 299) {
    co_return refused(status, *body, response.field("Retry-After"), post);
  }
  if (id == 0 || !wanted(id)) co_return ok();
  if (!body->starts_with('{') && !body->starts_with('[')) {
    misunderstood_ = true;
    co_return Error{
        Code::upstream_failed,
        fmt::format("the server answered a request with status {} and no JSON", status)};
  }
  misunderstood_ = false;
  if (whole.empty()) {
    listener_->on_message(*body, id);
  } else {
    listener_->on_whole_message(std::move(whole), id);
  }
  if (wanted(id)) co_return Error{Code::upstream_failed, "the server did not answer the request"};
  co_return ok();
}

Result<void> HttpChannel::refused(int status, std::string_view body, std::string_view retry_after,
                                  const Post& post) {
  const std::uint64_t id = post.id;
  if (status == 404 && post.session != 0) {
    // Of several messages in one session, the first that learns of it ends that session.
    if (post.session == sessions_ && !session_.empty()) {
      session_.clear();
      revision_.reset();
      listener_->on_forgotten();
    }
    if (id != 0 && !closed_) {
      listener_->on_lost(id, {Code::unavailable, "the server has dropped the session"});
    }
    return ok();
  }
  misunderstood_ |= is_foreign(status);
  // A JSON-RPC error is a response, unless the hint for a 401 is more useful.
  const bool hint = status == 401 && !target_.on_401.empty();
  const bool answer = id != 0 && !hint && json::check(body) && json::member(body, "error");
  if (answer) listener_->on_message(body, id);
  if (id == 0 || !wanted(id)) return ok();
  if (status != 429 && status != 503) {
    return Error{Code::upstream_failed, reason_of(target_, status, body)};
  }
  Error busy{Code::overloaded, reason_of(target_, status, body)};
  // Seconds; the other form, a date, depends on the server's clock.
  const auto seconds = json::as_int(retry_after);
  if (seconds && *seconds >= 0) {
    set_retry_after(busy, std::chrono::seconds(std::min(*seconds, kLongestRetryAfter)));
  }
  return busy;
}

Task<void> HttpChannel::receive(net::HttpResponse& response, std::uint64_t id) {
  misunderstood_ = false;
  EventReader events(target_.most);
  auto read = co_await read_events(response, events, id);
  if (!wanted(id)) co_return ok();
  if (!read && is_final(read.error())) co_return read;
  const bool resumable = revision_ && !mcp::info(*revision_).stateless && !events.last_id().empty();
  if (resumable) co_return co_await resume(events, id);
  co_return Error{Code::upstream_failed,
                  read ? "the server ended its answer early" : read.error().message};
}

Task<void> HttpChannel::read_events(net::HttpResponse& response, EventReader& events,
                                    std::uint64_t id) {
  Deadline deadline = kNever;
  for (;;) {
    auto piece = co_await response.read(deadline);
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return ok();
    auto fed = events.feed(*piece);
    if (!fed) co_return fed;
    for (Event event; events.next(event);) {
      if (!event.data.empty() && event.type.empty()) listener_->on_message(event.data, id);
      if (closed_) co_return Error{Code::cancelled, "the channel is closed"};
    }
    if (!wanted(id)) deadline = std::min(deadline, here().now() + kLeaveTaking);
  }
}

// Resumes after the last event, until the response has arrived.
Task<void> HttpChannel::resume(EventReader& events, std::uint64_t id) {
  for (int unanswerable = 0; unanswerable < kMostResumes; ++unanswerable) {
    auto slept = co_await sleep_until(here().now() + events.retry().value_or(kRetry));
    if (!slept) co_return slept;
    auto response = co_await get_stream(events);
    if (!response) co_return response.error();
    if (!is_event_stream(**response)) {
      co_return Error{Code::upstream_failed,
                      fmt::format("the server ended its answer early, and does not resume it: {}",
                                  reason_of(target_, (*response)->status(), ""))};
    }
    const std::string before = events.last_id();
    events.restart();
    auto read = co_await read_events(**response, events, id);
    if (!wanted(id)) co_return ok();
    if (!read && is_final(read.error())) co_return read;
    if (events.last_id() != before) unanswerable = 0;
  }
  co_return Error{Code::upstream_failed, "the server repeatedly ended its answer early"};
}

Task<std::unique_ptr<net::HttpResponse>> HttpChannel::get_stream(const EventReader& events) {
  std::string fields = "Accept: text/event-stream\r\n" + target_.fields;
  if (!session_.empty()) add_field(fields, kSession, session_);
  if (revision_ && *revision_ >= mcp::Revision::v2025_06_18) {
    add_field(fields, kVersionField, mcp::info(*revision_).name);
  }
  if (!events.last_id().empty()) add_field(fields, "Last-Event-ID", events.last_id());
  const net::HttpCall call{"GET", target_.url.path, fields, ""};
  auto asked = request_as(target_.credentials.get(), pool_, call, kNever);
  co_return co_await asked;
}

void HttpChannel::agreed(mcp::Revision revision) {
  revision_ = revision;
  if (mcp::info(revision).stateless || session_.empty() || stream_open_) return;
  stream_open_ = true;
  posts_.spawn(read_stream());
}

// Reads the server's own messages as long as there is a session. A server without any refuses the
// GET, which ends this.
Task<void> HttpChannel::read_stream() {
  EventReader events(target_.most);
  std::chrono::milliseconds pause = kRetry;
  while (!closed_) {
    auto task = get_stream(events);
    auto response = co_await task.with_stop(stream_stop_);
    if (response && !is_event_stream(**response)) {
      const int status = (*response)->status();
      if (status < 500 && status != 429) break;
    } else if (response) {
      events.restart();
      auto reading = read_events(**response, events, 0);
      auto read = co_await reading.with_stop(stream_stop_);
      pause = kRetry;
      if (!read && read.error().code == Code::too_large) break;
    }
    auto sleep = sleep_until(here().now() + events.retry().value_or(pause));
    auto slept = co_await sleep.with_stop(stream_stop_);
    if (!slept) break;
    pause = std::min(pause * 2, kLongestPause);
  }
  stream_open_ = false;
  co_return ok();
}

Task<void> HttpChannel::finish(Deadline deadline) {
  stream_stop_.request();
  if (!session_.empty() && !closed_) {
    const std::string fields = fields_of({.revision = revision_});
    const net::HttpCall call{"DELETE", target_.url.path, fields, ""};
    auto asked = request_as(target_.credentials.get(), pool_, call, deadline);
    auto ended = co_await asked;
    discard(ended, "the server drops the session by itself later");
  }
  close();
  auto drained = co_await posts_.drain(kNever);
  pool_.close();
  co_return drained;
}

}  // namespace patchbay::transport
