#include "net/http/server/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/discard.h"
#include "core/error.h"
#include "core/http_token.h"
#include "core/text.h"
#include "net/http/server/forwarded.h"
#include "net/http/syntax/accept.h"
#include "net/stream/proxy_header.h"
#include "net/websocket/handshake.h"
#include "observe/memory.h"

namespace patchbay::net {
namespace {

using std::chrono::seconds;

constexpr std::size_t kReadStep = 256 * 1024;
constexpr std::size_t kLinger = 1 << 20;  // Bytes that are read and dropped after a refusal.
constexpr const char* kClosing = "the connection closes in any case";

// The name in "name", "name:port" or "[address]:port"; empty if it is none of these.
std::string_view without_port(std::string_view host) {
  const auto name_end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  const auto name = host.substr(0, name_end);
  const auto rest = host.substr(name.size());
  if (rest.empty()) return name;
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
  const bool good = rest.front() == ':' && fault == std::errc() && end == rest.data() + rest.size();
  return good ? name : std::string_view();
}

// The exchange is answered, or the client has disconnected. In both cases it is finished.
Result<bool> refused(const Result<void>& answered) {
  if (!answered) return answered.error();
  return false;
}

Task<bool> fail(const HttpRoutes& routes, ConnectionExchange& exchange, int status,
                std::string_view message, std::string fields = {}) {
  const HttpRefusal refusal = routes.refusal(exchange.request, status, message);
  co_return refused(co_await exchange.answer(status, refusal.type, {refusal.text}, fields));
}

}  // namespace

bool host_allowed(std::string_view host, const HttpSettings& settings) {
  const auto name = without_port(host);
  if (same_token(name, "localhost") || name == "127.0.0.1" || name == "[::1]") return true;
  return std::ranges::any_of(settings.hosts, [&](const std::string& allowed) {
    return same_token(allowed, name) || same_token(allowed, host);
  });
}

bool origin_allowed(std::string_view origin, std::string_view host, const HttpSettings& settings) {
  if (cors_allows(settings.cors, origin)) return true;
  if (std::ranges::any_of(settings.origins, [&](const std::string& allowed) {
        return same_token(allowed, origin);
      })) {
    return true;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const auto site = origin.substr(scheme.size());
    return same_token(site, host) ||
           std::ranges::any_of(settings.hosts, [&](const std::string& allowed) {
             return same_token(allowed, site);
           });
  }
  return false;
}

bool is_cross_site(const HttpRequest& request) {
  const auto site = request.fields.find("Sec-Fetch-Site");
  if (!site || *site == "same-origin" || *site == "none") return false;
  if (request.fields.find("Origin")) return false;
  const bool link = request.method == "GET" &&
                    request.fields.find("Sec-Fetch-Mode") == "navigate" &&
                    request.fields.find("Sec-Fetch-Dest") == "document";
  return !link;
}

void HttpConnection::name_client(const PeerAddress& client) {
  if (client.ip != peer_.address.ip) peer_.ip = client.ip_text();
  peer_.address = client;
}

Task<void> HttpConnection::read_proxy_header() {
  auto reading = net::read_proxy_header(stream_, peer_.hop, *settings_->proxies);
  auto client = co_await reading.with_stop(idle_);
  if (!client) co_return client.error();
  names_client_ = client->has_value();
  // Without a client the proxy vouches for nothing that the connection sends.
  peer_.hop = client->value_or(PeerAddress());
  if (names_client_) name_client(peer_.hop);
  co_return ok();
}

Task<void> HttpConnection::start_tls(std::shared_ptr<const TlsContext> context) {
  const Deadline deadline = here().now() + settings_->handshake_time;
  auto first = co_await stream_.first_byte(deadline);
  if (!first)
    // The client sent nothing, so nothing is logged.
    co_return Error{first.error().code, ""};
  if (*first >= 'A' && *first <= 'Z') {
    HttpRequest none;
    auto sent = co_await refuse(none, 400, "this port speaks TLS; use https://");
    discard(sent, kClosing);
    co_return Error{Code::invalid_request, "plain HTTP on a port with TLS"};
  }
  auto secured = co_await stream_.start_tls(std::move(context), "", deadline);
  if (!secured) co_return secured;
  peer_.certificate = stream_.peer();
  (stream_.resumed_tls() ? counters_.tls_resumed : counters_.tls_full)->add();
  co_return ok();
}

Task<void> HttpConnection::run() {
  for (;;) {
    HttpRequest request;
    auto reading_head = read_head(request);
    auto head = co_await reading_head.with_stop(idle_);
    if (!head || !*head) break;
    counters_.requests->add();
    auto again = co_await serve(request);
    if (!again || !*again) break;
    take_following();
    input_.release_if_empty();
    // A client that always has its next request ready must not monopolise the worker.
    if (!input_.empty() || stream_.may_read()) co_await next_turn();
  }
  co_return ok();
}

// Bytes after a chunked body are the beginning of the next request.
void HttpConnection::take_following() {
  for (std::string_view rest = following_; !rest.empty();) {
    const auto room = input_.room();
    const auto size = std::min(room.size(), rest.size());
    std::copy_n(rest.data(), size, room.data());
    input_.add(size);
    rest.remove_prefix(size);
  }
  following_.clear();
}

// Waits, without memory, for the first bytes of a request.
Task<bool> HttpConnection::await_request() {
  const Deadline deadline = here().now() + settings_->idle_time;
  while (input_.empty()) {
    auto got = stream_.try_read(input_.room());
    if (!got) co_return false;
    input_.add(*got);
    if (*got > 0) break;
    input_.release_if_empty();
    auto ready = co_await stream_.ready(Source::Direction::read, deadline);
    if (!ready) co_return false;
  }
  co_return true;
}

Task<bool> HttpConnection::read_head(HttpRequest& request) {
  auto begun = co_await await_request();
  if (!begun || !*begun) co_return false;
  // A line break after the last body does not start a request.
  if (input_.bytes() == "\r\n") {
    input_.drop(2);
    begun = co_await await_request();
    if (!begun || !*begun) co_return false;
  }
  const Deadline deadline = here().now() + settings_->header_time;
  for (bool look = true;;) {
    if (look) {
      auto size = parse_request(input_.bytes(), settings_->head, request);
      if (!size) {
        HttpRequest none;
        auto sent = co_await refuse(none, parse_status(size.error()), size.error().message);
        discard(sent, kClosing);
        co_return false;
      }
      if (*size > 0) {
        input_.drop(*size);
        co_return true;
      }
    }
    const auto before = input_.bytes().size();
    auto got = co_await stream_.read_some(input_.room(), deadline);
    if (!got) {
      HttpRequest none;
      co_return co_await too_slow(none, got.error(), "the request head took too long");
    }
    input_.add(*got);
    // A head ends with a line break, so a piece without one is not parsed until a limit is near.
    const auto bytes = input_.bytes();
    look = bytes.find('\n', before) != std::string_view::npos ||
           bytes.size() > std::min(settings_->head.request_line, settings_->head.headers);
  }
}

// Answers 408 to a client that ran into a deadline. One that has disconnected gets nothing.
Task<bool> HttpConnection::too_slow(HttpRequest& request, Error why, std::string message) {
  if (why.code == Code::timeout) {
    auto sent = co_await refuse(request, 408, std::move(message));
    discard(sent, kClosing);
  }
  co_return false;
}

// A body that arrived together with its head, as small ones do, is not copied.
bool HttpConnection::take_body(const HttpRequest& request, std::string_view& body) {
  const auto length = request.framing.length.value_or(0);
  if (length > settings_->body || !body_at_hand(request)) return false;
  body = input_.bytes().substr(0, length);
  input_.drop(length);
  return true;
}

Task<bool> HttpConnection::read_body(HttpRequest& request, std::string_view& body,
                                     std::string& storage) {
  const auto length = request.framing.length.value_or(0);
  if (length > settings_->body) {
    auto sent =
        co_await refuse(request, 413, fmt::format("the body exceeds {} bytes", settings_->body));
    discard(sent, kClosing);
    co_return false;
  }
  if (request.expects_continue && input_.empty()) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    auto sent = co_await stream_.write_all(kContinue, settings_->write_time);
    if (!sent) co_return false;
  }
  const Deadline deadline = here().now() + settings_->body_time;
  // The views of the head point into the input buffer, so from here on the body has its own memory.
  auto read = request.framing.chunked ? co_await read_chunked(request, storage, deadline)
                                      : co_await read_sized(request, storage, deadline);
  if (!read || !*read) co_return false;
  body = storage;
  co_return true;
}

Task<bool> HttpConnection::read_sized(HttpRequest& request, std::string& storage,
                                      Deadline deadline) {
  const std::uint64_t length = *request.framing.length;
  storage = input_.bytes();
  input_.drop(storage.size());
  while (storage.size() < length) {
    // Memory grows with what has arrived, not with what was announced.
    const auto before = storage.size();
    const auto step = std::min<std::uint64_t>(length - before, std::max(before, kReadStep));
    if (memory::is_short(step)) co_return co_await too_little_memory(request);
    stretch(storage, before + step);
    auto got = co_await stream_.read_some(std::span(storage).subspan(before), deadline);
    if (!got) co_return co_await too_slow(request, got.error(), "the request body took too long");
    stretch(storage, before + *got);
  }
  co_return true;
}

Task<bool> HttpConnection::read_chunked(HttpRequest& request, std::string& storage,
                                        Deadline deadline) {
  ChunkReader chunks;
  std::string pending(input_.bytes());
  input_.drop(pending.size());
  std::size_t at = 0;
  for (;;) {
    auto step = chunks.next(std::string_view(pending).substr(at));
    if (!step) {
      auto sent = co_await refuse(request, parse_status(step.error()), step.error().message);
      discard(sent, kClosing);
      co_return false;
    }
    at += step->taken;
    storage += step->data;
    if (storage.size() + chunks.announced() > settings_->body) {
      auto sent =
          co_await refuse(request, 413, fmt::format("the body exceeds {} bytes", settings_->body));
      discard(sent, kClosing);
      co_return false;
    }
    if (step->done) {
      following_ = pending.substr(at);
      co_return true;
    }
    if (step->taken > 0) continue;
    if (memory::is_short(storage.size())) co_return co_await too_little_memory(request);
    pending.erase(0, std::exchange(at, 0));
    const auto before = pending.size();
    pending.resize(before + kReadStep / 4);
    auto got = co_await stream_.read_some(std::span(pending).subspan(before), deadline);
    if (!got) co_return co_await too_slow(request, got.error(), "the request body took too long");
    pending.resize(before + *got);
  }
}

Task<bool> HttpConnection::too_little_memory(HttpRequest& request) {
  auto sent = co_await refuse(request, 503, memory::shortage().message);
  discard(sent, kClosing);
  co_return false;
}

// Authentication and routing happen before the body is read.
Task<bool> HttpConnection::serve(HttpRequest& request) {
  // Every request of a proxy's connection may be another client's.
  if (settings_->proxies && names_client_) {
    name_client(forwarded_client(request.fields, peer_.hop, *settings_->proxies));
  }
  ConnectionExchange exchange(request, {stream_, input_, peer_, streams_}, settings_->write_time,
                              settings_->stream_buffer);
  if (!request.framing.keep_alive) exchange.close_after();
  const HttpRoute* const route = routes_.find(request.path);
  auto admitted = co_await admit(exchange, route);
  if (!admitted) co_return false;
  if (!*admitted) co_return co_await leave_body(exchange);
  std::string storage;
  if (!take_body(request, exchange.body)) {
    // A request that has not arrived completely is not a call yet: it ends when the server stops.
    auto reading = read_body(request, exchange.body, storage);
    auto read = co_await reading.with_stop(idle_);
    if (!read || !*read) co_return false;
  }
  std::optional<metrics::Counted> held;
  if (!storage.empty()) {
    held.emplace(*counters_.body_bytes, static_cast<std::int64_t>(storage.size()));
  }
  const bool upgrades = route->upgrade && wants_websocket(request);
  auto* const handler = upgrades ? route->upgrade : route->handler;
  auto answered = co_await handler->handle(exchange);
  co_return answered&& exchange.answered() && exchange.keep_alive();
}

// False: the exchange has been answered, with a refusal or by the server itself.
Task<bool> HttpConnection::admit(ConnectionExchange& exchange, const HttpRoute* route) {
  const HttpRequest& request = exchange.request;
  const bool keep_alive = exchange.keep_alive();
  if (!body_at_hand(request)) exchange.close_after();  // It would be read as the next request.
  const auto origin = request.fields.find("Origin");
  if (!host_allowed(request.host, *settings_)) {
    exchange.close_after();
    co_return co_await fail(routes_, exchange, 403, "this Host is not allowed; see http.hosts");
  }
  if (origin && !origin_allowed(*origin, request.host, *settings_)) {
    exchange.close_after();
    co_return co_await fail(routes_, exchange, 403, "this Origin is not allowed; see http.origins");
  }
  if (is_cross_site(request)) {
    exchange.close_after();
    co_return co_await fail(routes_, exchange, 403, "pages of other origins may not load this");
  }
  if (origin && !settings_->cors.origins.empty()) {
    exchange.add_fields(cors_fields(settings_->cors, *origin));
    if (route && is_preflight(request) && cors_allows(settings_->cors, *origin)) {
      exchange.add_fields(preflight_fields(settings_->cors, request, route->methods));
      co_return refused(co_await exchange.answer(204, "", {}));
    }
  }
  const bool timed = guard_.is_timed();
  if (timed) exchange.authenticated.began = Clock::now();
  exchange.caller = guard_.recognise(exchange);
  if (!exchange.caller) {
    const bool open = route && (route->open || guard_.opens(route->path));
    auto caller = co_await guard_.admit(exchange, open);
    if (!caller) co_return caller.error();
    if (!*caller && !open) co_return false;
    exchange.caller = *std::move(caller);
  }
  if (timed) exchange.authenticated.ended = Clock::now();
  if (!route) co_return co_await fail(routes_, exchange, 404, "there is nothing at this path");
  if (route->methods != "*" && !has_method(route->methods, request.method)) {
    co_return co_await fail(routes_, exchange, 405, "this method is not allowed here",
                            fmt::format("Allow: {}\r\n", route->methods));
  }
  exchange.set_keep_alive(keep_alive);
  co_return true;
}

bool HttpConnection::body_at_hand(const HttpRequest& request) const {
  return !request.framing.chunked && request.framing.length.value_or(0) <= input_.bytes().size();
}

// The body of a refused request is not read. True if the connection can be reused.
Task<bool> HttpConnection::leave_body(const ConnectionExchange& exchange) {
  if (body_at_hand(exchange.request)) {
    input_.drop(exchange.request.framing.length.value_or(0));
    co_return exchange.answered() && exchange.keep_alive();
  }
  auto lingered = co_await linger();
  discard(lingered, kClosing);
  co_return false;
}

// Once the head has been read, the refusal has the format of the route.
Task<void> HttpConnection::refuse(HttpRequest& request, int status, std::string message) {
  counters_.malformed->add();
  ConnectionExchange exchange(request, {stream_, input_, peer_, streams_}, settings_->write_time,
                              settings_->stream_buffer);
  exchange.close_after();
  auto sent =
      co_await fail(routes_, exchange, status, message, status == 503 ? "Retry-After: 1\r\n" : "");
  if (!sent) co_return sent.error();
  co_return co_await linger();
}

// Closing while the client still sends would reset the connection and could discard our response.
// So our side ends, and input is read for a little longer.
Task<void> HttpConnection::linger() {
  stream_.end_sending();
  const Deadline deadline = here().now() + seconds(2);
  std::string dropped(16 * 1024, '\0');
  for (std::size_t total = 0; total < kLinger;) {
    auto got = co_await stream_.read_some(dropped, deadline);
    if (!got) break;
    total += *got;
  }
  co_return ok();
}

}  // namespace patchbay::net
