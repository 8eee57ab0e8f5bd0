#include "frontends/wire/tcp.h"

#include "core/discard.h"
#include "frontends/wire/connection.h"
#include "net/io/address_share.h"
#include "net/io/socket.h"
#include "net/stream/proxy_header.h"
#include "transport/wire/envelope.h"
#include "transport/wire/fault.h"
#include "transport/wire/frame.h"

namespace patchbay::frontends {
namespace {

// For a client that has sent nothing yet.
std::string error_frame(const Error& why) {
  return wire::encode(wire::Header::seven, wire::FrameType::error,
                      wire::write_error({}, wire::fault_object(why)));
}

}  // namespace

WireTcp::WireTcp(WireHost& host, net::HttpCounters& counters, const WireTcpSettings& settings)
    : host_(host),
      counters_(counters),
      settings_(settings),
      accepting_(counters.refused, [this](net::Fd fd, const net::PeerAddress& from, bool secure) {
        admit(std::move(fd), from, secure);
      }) {}

void WireTcp::start(net::Fd listener, std::shared_ptr<const net::TlsContext> tls) {
  const bool secure = tls != nullptr;
  tls_ = std::move(tls);
  accepting_.start(std::move(listener), secure);
}

void WireTcp::admit(net::Fd fd, const net::PeerAddress& from, bool secure) {
  const auto open = counters_.connections.fetch_add(1, std::memory_order_relaxed);
  if (static_cast<std::size_t>(open) >= settings_.connections) {
    counters_.connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused->add();
    if (!secure) {
      const Error full{Code::overloaded, "too many connections are open; try again later"};
      net::send_at_once(fd.get(), error_frame(full));
    }
    return;
  }
  const bool unnamed = settings_.proxy_protocol && !net::is_proxy(settings_.proxies, from);
  if (unnamed) net::log_unnamed_proxy(from);
  auto share = net::take_connection_share(from, settings_.proxies);
  if (unnamed || !share) {
    counters_.connections.fetch_sub(1, std::memory_order_relaxed);
    counters_.refused->add();
    if (!secure && !unnamed) net::send_at_once(fd.get(), error_frame(share.error()));
    return;
  }
  net::set_no_delay(fd.get());
  net::set_small_send_queue(fd.get());
  net::notice_dead_peer(fd.get());
  connections_.spawn(net::hold_share(serve(std::move(fd), from, secure), *std::move(share)));
}

Task<void> WireTcp::serve(net::Fd fd, net::PeerAddress from, bool secure) {
  net::Stream stream(std::move(fd));
  Shares::Share share;
  auto served =
      settings_.proxy_protocol ? co_await learn_client(stream, from, secure, share) : ok();
  if (served && secure) served = co_await do_handshake(stream, from);
  if (served) {
    WireConnection connection(host_, stream, from, {settings_.write_time, settings_.grace});
    served = co_await connection.run(idle_);
  }
  counters_.connections.fetch_sub(1, std::memory_order_relaxed);
  co_return served;
}

// The connection counts for the client that the proxy names.
Task<void> WireTcp::learn_client(net::Stream& stream, net::PeerAddress& from, bool secure,
                                 Shares::Share& share) {
  const auto proxies = settings_.proxies;  // A reload may replace them meanwhile.
  auto reading = net::read_proxy_header(stream, from, *proxies);
  auto client = co_await reading.with_stop(idle_);
  if (!client) {
    counters_.refused->add();
    co_return client.error();
  }
  from = client->value_or(from);
  auto taken = net::take_connection_share(from, proxies);
  if (taken) {
    share = *std::move(taken);
    co_return ok();
  }
  counters_.refused->add();
  if (!secure) net::send_at_once(stream.fd(), error_frame(taken.error()));
  co_return taken.error();
}

Task<void> WireTcp::do_handshake(net::Stream& stream, const net::PeerAddress& from) {
  auto done = co_await handshakes_.run(start_tls(stream), settings_.handshakes, idle_);
  if (done) {
    (stream.resumed_tls() ? counters_.tls_resumed : counters_.tls_full)->add();
  } else {
    counters_.add_failed_handshake(done.error(), from);
  }
  co_return done;
}

Task<void> WireTcp::start_tls(net::Stream& stream) {
  const Deadline deadline = here().now() + settings_.handshake_time;
  auto first = co_await stream.first_byte(deadline);
  // It has sent nothing, so nothing is logged.
  if (!first) co_return Error{first.error().code, ""};
  if (*first == 'M') {
    const Error plain{Code::invalid_request, "this port speaks TLS; use tcps://"};
    const std::string frame = error_frame(plain);
    auto sent = co_await stream.write_all(frame, settings_.handshake_time);
    discard(sent, "the client is refused either way");
    co_return Error{Code::invalid_request, "plain frames on a port with TLS"};
  }
  co_return co_await stream.start_tls(tls_, "", deadline);
}

void WireTcp::close() {
  accepting_.close();
  idle_.request();
}

Task<void> WireTcp::stop(Deadline deadline) {
  auto accepted = co_await accepting_.stop();
  if (!accepted) co_return accepted;
  co_return co_await connections_.finish(deadline);
}

}  // namespace patchbay::frontends
