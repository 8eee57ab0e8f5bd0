#include "net/http/client/connections.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::net {

HttpPoolUse::HttpPoolUse(metrics::Registry& registry, std::string_view upstream)
    : open(registry.gauge("patchbay_upstream_http_connections", "Connections to an upstream.",
                          metrics::labels({{"upstream", upstream}}))),
      idle(registry.gauge("patchbay_upstream_http_idle_connections",
                          "Of the connections to an upstream, those without a request.",
                          metrics::labels({{"upstream", upstream}}))),
      waiting(registry.gauge("patchbay_upstream_http_waiting_requests",
                             "Requests that wait for a connection to an upstream.",
                             metrics::labels({{"upstream", upstream}}))) {}

void PooledConnection::on_ready() {
  char unasked = 0;
  auto got = stream->try_read(std::span(&unasked, 1));
  if (got && *got == 0) {
    stream->wait_readable(*this);  // A TLS session may still deliver session tickets.
  } else {
    connections.dismiss(*this);
  }
}

void PooledConnection::on_deadline() { connections.dismiss(*this); }

HttpConnections::~HttpConnections() {
  drop_idle();
  dismissed_.clear();
}

HttpConnections::Connection HttpConnections::take_idle() {
  if (idle_.empty()) return nullptr;
  auto connection = std::move(idle_.back());
  idle_.pop_back();
  note(&HttpPoolUse::idle, -1);
  connection->drop();
  connection->stream->forget(*connection);
  return connection;
}

Task<HttpConnections::Connection> HttpConnections::obtain(Deadline deadline) {
  if (open_ < settings_.connections) co_return std::make_unique<PooledConnection>(*this);
  if (waiting_.size() >= static_cast<std::size_t>(settings_.waiting)) {
    co_return Error{Code::overloaded,
                    fmt::format("too many requests wait for a connection to {}", server_)};
  }
  Waiting waiting;
  note(&HttpPoolUse::waiting, 1);
  const auto slot = waiting_.insert(waiting_.end(), &waiting);
  auto given = co_await waiting.slot.wait(deadline);
  note(&HttpPoolUse::waiting, -1);
  if (waiting.listed) waiting_.erase(slot);
  co_return given;
}

bool HttpConnections::hand_over(Connection& connection) {
  while (!waiting_.empty()) {
    Waiting& first = *waiting_.front();
    waiting_.pop_front();
    first.listed = false;
    if (first.slot.delivered()) continue;  // It has timed out.
    first.slot.deliver(std::move(connection));
    return true;
  }
  return false;
}

void HttpConnections::put_back(Connection connection, std::chrono::nanoseconds idle) {
  if (connection->closings != closings_) return;
  Stream& stream = *connection->stream;
  if (stream.may_read()) {
    char unasked = 0;
    auto got = stream.try_read(std::span(&unasked, 1));
    if (!got || *got > 0) return;
  }
  connection->used = true;
  if (hand_over(connection)) return;
  stream.wait_readable(*connection);
  here().timers().set(*connection, here().now() + idle);
  idle_.push_back(std::move(connection));
  note(&HttpPoolUse::idle, 1);
}

// Drops an idle connection. It may be handling an event of its own, so it is destroyed at the end
// of the turn.
void HttpConnections::dismiss(PooledConnection& connection) {
  const auto at = std::ranges::find(idle_, &connection, &Connection::get);
  dismissed_.push_back(std::move(*at));
  idle_.erase(at);
  note(&HttpPoolUse::idle, -1);
  here().at_turn_end(*this);
}

void HttpConnections::on_closed() {
  --open_;
  note(&HttpPoolUse::open, -1);
  if (waiting_.empty()) return;
  auto slot = std::make_unique<PooledConnection>(*this);
  hand_over(slot);
}

void HttpConnections::close() {
  ++closings_;
  drop_idle();
}

void HttpConnections::drop_idle() {
  note(&HttpPoolUse::idle, -static_cast<std::int64_t>(idle_.size()));
  idle_.clear();
}

}  // namespace patchbay::net
