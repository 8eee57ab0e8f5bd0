#include "net/http/client/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace patchbay::net {
namespace {

constexpr std::string_view kDiedUnanswered =
    "the server closed a reused connection before it answered";

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// A Content-Length of zero is sent only where a body is usual.
bool sends_length(const HttpCall& call) {
  return !call.body.empty() || call.method == "POST" || call.method == "PUT" ||
         call.method == "PATCH";
}

// The error of a connection that ended, with how far the response had got.
Error lost(const Error& why, bool reused, bool begun) {
  if (begun) {
    return {Code::upstream_failed, fmt::format("the server's answer broke off: {}", why.message)};
  }
  if (reused) return {Code::upstream_failed, std::string(kDiedUnanswered)};
  return {Code::upstream_failed, fmt::format("no answer: {}", why.message)};
}

}  // namespace

bool died_unanswered(const Error& error) {
  return error.code == Code::upstream_failed && error.message == kDiedUnanswered;
}

HttpPool::HttpPool(Url origin, std::shared_ptr<const TlsContext> tls,
                   const HttpPoolSettings& settings)
    : origin_(std::move(origin)),
      tls_(std::move(tls)),
      connections_(origin_.authority(), settings) {}

Task<std::unique_ptr<HttpResponse>> HttpPool::request(const HttpCall& call, Deadline deadline) {
  Stop* const stop = co_await current_stop();
  if (stop && stop->requested()) co_return Error{Code::cancelled, "cancelled"};
  if (deadline <= here().now()) co_return Error{Code::timeout, "the deadline passed"};
  auto connection = connections_.take_idle();
  for (;;) {
    if (!connection) {
      auto opened = co_await obtain(deadline);
      if (!opened) co_return opened.error();
      connection = *std::move(opened);
    }
    compose_head(call);
    const std::array parts{part(head_), part(call.body)};
    const bool reused = connection->used;
    auto sent = connection->stream->try_write(std::span(parts).first(call.body.empty() ? 1 : 2));
    if (!sent) {
      // Nothing of the request has been sent, so it may use another connection.
      connection.reset();
      if (!reused) co_return lost(sent.error(), false, false);
      connection = connections_.take_idle();
      continue;
    }
    if (call.begun) *call.begun = true;
    std::unique_ptr<HttpResponse> response(
        new HttpResponse(std::move(connection), call.method == "HEAD"));
    if (*sent < head_.size() + call.body.size()) {
      auto rest = co_await send_rest(*response, call.body, *sent, deadline);
      if (!rest) co_return rest.error();
    }
    Stream& stream = *response->connection_->stream;
    for (;;) {
      auto complete = response->take_head();
      if (!complete) co_return complete.error();
      if (*complete) co_return response;
      if (stream.may_read()) {
        auto got = stream.try_read(response->input_.room());
        if (!got) co_return lost(got.error(), reused, !response->input_.empty());
        response->input_.add(*got);
        if (*got > 0) continue;
        response->input_.release_if_empty();
      }
      auto ready = co_await stream.ready(Source::Direction::read, deadline);
      if (!ready) co_return ready.error();
    }
  }
}

void HttpPool::compose_head(const HttpCall& call) {
  head_.clear();
  for (const std::string_view piece :
       {call.method, std::string_view(" "), call.path, std::string_view(" HTTP/1.1\r\nHost: "),
        std::string_view(connections_.server()), std::string_view("\r\n"), call.fields}) {
    head_ += piece;
  }
  if (sends_length(call)) {
    head_ += "Content-Length: ";
    head_ += fmt::format_int(call.body.size()).c_str();
    head_ += "\r\n";
  }
  head_ += "\r\n";
}

// The part of a request that the socket did not take at once. A server may answer without having
// read all of it; then the rest is not sent, and the connection not used again.
Task<void> HttpPool::send_rest(HttpResponse& response, std::string_view body, std::size_t sent,
                               Deadline deadline) {
  const std::string head = std::exchange(head_, {});
  std::array all{part(head), part(body)};
  auto parts = drop_written(all, sent);
  auto& connection = *response.connection_;
  Stream& stream = *connection.stream;
  for (;;) {
    auto written = stream.try_write(parts);
    if (written) parts = drop_written(parts, *written);
    if (parts.empty()) co_return ok();
    if (written && *written > 0) continue;
    auto got = stream.try_read(response.input_.room());
    if (!got) co_return lost(got.error(), connection.used, false);
    response.input_.add(*got);
    connection.half_sent = *got > 0;
    if (*got > 0) co_return ok();
    if (!written) co_return lost(written.error(), connection.used, false);
    auto ready = co_await stream.ready(Source::Direction::either, deadline);
    if (!ready) co_return ready;
  }
}

Task<HttpPool::Connection> HttpPool::obtain(Deadline deadline) {
  auto obtained = co_await connections_.obtain(deadline);
  if (!obtained) co_return obtained;
  Connection connection = *std::move(obtained);
  if (connection->stream) co_return connection;
  const auto& settings = connections_.settings();
  const auto timeout = here().now() + settings.connect;
  auto stream =
      co_await connect_stream(origin_, tls_, std::min(deadline, timeout), settings.may_reach);
  if (stream) {
    connection->stream = *std::move(stream);
    co_return connection;
  }
  auto error = std::move(stream).error();
  if (error.code == Code::timeout && timeout < deadline) error.code = Code::unavailable;
  co_return error;
}

}  // namespace patchbay::net
