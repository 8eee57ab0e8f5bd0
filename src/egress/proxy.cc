#include "egress/proxy.h"

#include <fmt/format.h>

#include "net/http/syntax/parse.h"
#include "net/io/local_listener.h"
#include "net/io/resolver.h"
#include "net/io/socket.h"
#include "oauth/reach.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kConnected = "HTTP/1.1 200 Connection established\r\n\r\n";

// Connections that are accepted before others get a turn.
constexpr int kAtATime = 32;

Error refusal(int status, Code code, std::string message) {
  return {code, std::move(message), std::to_string(status)};
}

std::shared_ptr<metrics::Counter> connections(metrics::Registry& registry,
                                              const std::string& upstream,
                                              std::string_view outcome) {
  return registry.counter("patchbay_sandbox_egress_connections_total",
                          "Connections to the proxies of sandboxes that have ended.",
                          metrics::labels({{"upstream", upstream}, {"outcome", outcome}}));
}

std::shared_ptr<metrics::Counter> bytes(metrics::Registry& registry, const std::string& upstream,
                                        std::string_view direction) {
  return registry.counter("patchbay_sandbox_egress_bytes_total",
                          "Bytes that the proxies of sandboxes have passed on.",
                          metrics::labels({{"upstream", upstream}, {"direction", direction}}));
}

}  // namespace

EgressCounters::EgressCounters(metrics::Registry& registry, const std::string& upstream)
    : open(registry.gauge("patchbay_sandbox_egress_open",
                          "Connections to the proxies of sandboxes.",
                          metrics::labels({{"upstream", upstream}}))),
      allowed(connections(registry, upstream, "allowed")),
      refused(connections(registry, upstream, "refused")),
      failed(connections(registry, upstream, "failed")),
      surplus(connections(registry, upstream, "surplus")),
      malformed(connections(registry, upstream, "malformed")),
      sent(bytes(registry, upstream, "sent")),
      received(bytes(registry, upstream, "received")) {}

struct EgressProxy::Visit {
  std::string destination;  // Empty until known.
  bool allowed = false;
  bool answered = false;  // What follows is between the sandbox and the server.
  net::Relayed moved;
};

EgressProxy::EgressProxy(std::string upstream, std::string sandbox, net::Fd listener,
                         sandbox::EgressRules rules, const sandbox::EgressLimits& limits,
                         std::shared_ptr<const EgressCounters> counters)
    : upstream_(std::move(upstream)),
      sandbox_(std::move(sandbox)),
      rules_(std::move(rules)),
      limits_(limits),
      counters_(std::move(counters)),
      listener_(std::move(listener)) {}

std::unique_ptr<EgressProxy> EgressProxy::start(const std::string& upstream,
                                                sandbox::Confined& confined,
                                                const sandbox::Settings& settings,
                                                std::shared_ptr<const EgressCounters> counters) {
  auto listener = confined.take_egress();
  auto rules = sandbox::EgressRules::parse(settings.egress);
  if (!listener || !rules) return nullptr;
  std::unique_ptr<EgressProxy> proxy(new EgressProxy(upstream, confined.name(), std::move(listener),
                                                     *std::move(rules), settings.egress_limits,
                                                     std::move(counters)));
  proxy->scope_.spawn(proxy->accept());
  return proxy;
}

Task<void> EgressProxy::stop() {
  scope_.cancel();
  // Shielded: it must end although the task is cancelled; it takes a moment.
  auto ending = scope_.drain(kNever);
  co_return co_await ending.shielded();
}

Task<void> EgressProxy::accept() {
  for (int taken = 1;; ++taken) {
    auto socket = co_await net::accept_next(listener_);
    if (!socket) co_return socket.error();
    if (open_ >= limits_.connections) {
      turn_away(*socket);
    } else {
      scope_.spawn(serve(*std::move(socket)));
    }
    // A sandbox that does nothing but connect must not keep the worker from others.
    if (taken % kAtATime != 0) continue;
    auto slept = co_await sleep_until(here().now());
    if (!slept) co_return slept;
    taken = 0;
  }
}

void EgressProxy::turn_away(const net::Fd& socket) {
  const auto why = fmt::format(
      "this sandbox has {} connections, which is the maximum (`egress_limits.max_connections`)",
      limits_.connections);
  net::send_at_once(socket.get(), egress_answer(503, why));
  if (counters_) counters_->surplus->add();
  write_line({}, refusal(503, Code::overloaded, why));
}

Task<void> EgressProxy::serve(net::Fd socket) {
  ++open_;
  if (counters_) counters_->open->add(1);
  Visit one;
  net::Source client(std::move(socket));
  auto outcome = co_await visit(client, one);
  if (!outcome && !one.answered && outcome.error().code != Code::cancelled) {
    const auto answer = egress_answer(net::parse_status(outcome.error()), outcome.error().message);
    net::send_at_once(client.fd(), answer);
  }
  count(one);
  write_line(one, outcome);
  --open_;
  co_return ok();
}

void EgressProxy::count(const Visit& visit) const {
  if (!counters_) return;
  const auto& ended = visit.answered              ? counters_->allowed
                      : visit.destination.empty() ? counters_->malformed
                      : visit.allowed             ? counters_->failed
                                                  : counters_->refused;
  ended->add();
  counters_->sent->add(visit.moved.there);
  counters_->received->add(visit.moved.back);
  counters_->open->add(-1);
}

Task<void> EgressProxy::visit(net::Source& client, Visit& visit) {
  std::string rest;
  auto head = co_await read_head(client, rest);
  if (!head) co_return head.error();
  auto request = parse_egress_request(*head);
  if (!request) co_return request.error();
  visit.destination = request->destination.text();
  auto connected = co_await connect(request->destination);
  // One that may be reached and does not answer is no refusal.
  visit.allowed = connected || connected.error().code != Code::forbidden;
  if (!connected) co_return connected.error();

  net::notice_dead_peer(connected->get());
  net::Source server(*std::move(connected));
  visit.answered = true;
  auto begun = co_await (request->tunnel ? client.write_all(kConnected, limits_.idle)
                                         : server.write_all(request->head, limits_.idle));
  if (begun && !rest.empty()) begun = co_await server.write_all(rest, limits_.idle);
  if (!begun) co_return begun;
  visit.moved.there = request->head.size() + rest.size();
  co_return co_await net::relay(client, server, {limits_.idle, limits_.half_open}, visit.moved);
}

// The head, and in `rest` what arrived with it.
Task<std::string> EgressProxy::read_head(net::Source& client, std::string& rest) {
  const Deadline until = here().now() + limits_.connect_time;
  std::string bytes;
  std::string piece(kEgressHead, '\0');
  for (;;) {
    auto got = co_await client.read_some(piece, until);
    if (!got && got.error().code == Code::timeout) {
      co_return refusal(408, Code::timeout, "the request did not arrive in time");
    }
    if (!got) co_return got.error();
    bytes.append(piece, 0, *got);
    if (const auto size = egress_head_size(bytes); size > 0 && size <= kEgressHead) {
      rest = bytes.substr(size);
      bytes.resize(size);
      co_return bytes;
    }
    if (bytes.size() >= kEgressHead) {
      co_return refusal(431, Code::too_large,
                        fmt::format("the head of a request has at most {} bytes", kEgressHead));
    }
  }
}

Task<net::Fd> EgressProxy::connect(const sandbox::Destination& destination) {
  if (!rules_.lists(destination)) co_return not_listed(destination);
  const Deadline until = here().now() + limits_.connect_time;
  auto addresses = co_await net::look_up(destination.host, destination.port, until);
  if (addresses) {
    const net::Address first = addresses->front();
    std::erase_if(*addresses, [this](const net::Address& one) {
      return oauth::reach_of(one) != oauth::Reach::world && !rules_.lists(one);
    });
    if (addresses->empty()) co_return not_reached(destination, first);
  }
  auto connected = addresses ? co_await net::connect_to(*std::move(addresses), until)
                             : Result<net::Fd>(addresses.error());
  if (connected || connected.error().code == Code::cancelled) co_return connected;
  const int status = connected.error().code == Code::timeout ? 504 : 502;
  co_return refusal(status, connected.error().code,
                    fmt::format("{}: {}", destination.text(), connected.error().message));
}

Error EgressProxy::not_listed(const sandbox::Destination& destination) const {
  return refusal(
      403, Code::forbidden,
      fmt::format("{0} is not among the destinations of this sandbox; the operator of the "
                  "gateway can add \"{0}\" to `egress` of '{1}'",
                  destination.text(), upstream_));
}

Error EgressProxy::not_reached(const sandbox::Destination& destination,
                               const net::Address& address) const {
  return refusal(
      403, Code::forbidden,
      fmt::format("{0} is at {1}, which is not on the Internet; the operator of the gateway "
                  "can allow that address itself: \"{1}\" in `egress` of '{2}'",
                  destination.text(), address.text(), upstream_));
}

void EgressProxy::write_line(const Visit& visit, const Result<void>& outcome) const {
  log::Line(log::Level::info, "sandbox egress")
      .add("upstream", upstream_)
      .add("sandbox", sandbox_)
      .add("destination", visit.destination)
      .add("allowed", visit.allowed ? "yes" : "no")
      .add("sent", visit.moved.there)
      .add("received", visit.moved.back)
      .add("ended", outcome ? "" : outcome.error().message);
}

}  // namespace patchbay::upstreams
