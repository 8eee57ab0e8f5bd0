// How a new process replaces a gateway without interrupting clients: it receives the listening
// sockets, and calls in progress finish here. Also the creation of listeners.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "app/gateway.h"
#include "async/hop.h"
#include "core/discard.h"
#include "net/io/socket.h"
#include "net/process/successor.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

Result<net::Fd> duplicate(const net::Fd& fd) {
  net::Fd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (copy) return copy;
  return Error{Code::unavailable, fmt::format("a listener: {}", std::strerror(errno))};
}

}  // namespace

Result<void> Gateway::open_listeners() {
  auto inherited = net::InheritedListeners::take();
  const Settings& settings = configuration_.settings;
  auto opened = open(kListenKey, settings.listen, inherited, plain_);
  if (opened && settings.tls) {
    opened = open(kTlsListenKey, settings.tls->listen, inherited, secure_.emplace());
  }
  const auto kinds = frontend_kinds();
  for (std::size_t row = 0; opened && row < kinds.size(); ++row) {
    if (!kinds[row].listener) continue;
    auto listener = kinds[row].listener(configuration_);
    if (!listener) continue;
    auto& one = frontend_listeners_.emplace_back(row, *std::move(listener));
    opened = open(one.listener.address_key, one.listener.address, inherited, one.listening);
  }
  const auto unused = inherited.close_rest();
  if (!unused.empty()) {
    log::Line(log::Level::warn, "inherited listeners not used")
        .add("addresses", fmt::format("{}", fmt::join(unused, ", ")))
        .add("hint", "no setting names these addresses");
  }
  return opened;
}

Result<void> Gateway::open(std::string_view key, const std::string& listen,
                           net::InheritedListeners& inherited, Listening& listening) const {
  auto address = net::parse_address(listen);
  if (!address) return address.error();
  auto sockets = inherited.claim(key, *address);
  auto opened = sockets.empty() ? bind(*address, sockets) : ok();
  if (!opened) return opened;
  auto bound = net::local_address(sockets.front().get());
  if (!bound) return bound.error();
  listening.key = key;
  listening.address = *bound;
  // Each worker accepts on one or more of them, and each has a worker that accepts on it.
  listening.of_worker.resize(workers_.size());
  for (std::size_t i = 0; i < std::max(sockets.size(), workers_.size()); ++i) {
    auto copy = duplicate(sockets[i % sockets.size()]);
    if (!copy) return copy.error();
    listening.of_worker[i % workers_.size()].push_back(*std::move(copy));
  }
  listening.sockets = std::move(sockets);
  return ok();
}

// Each worker has its own listener on the same address; the first one decides the port.
Result<void> Gateway::bind(const net::Address& address, std::vector<net::Fd>& sockets) const {
  // The first one does not share the port: two gateways on one port must not share it silently.
  auto probe = net::listen_on(address, false);
  if (!probe) return probe.error();
  auto bound = net::local_address(probe->get());
  if (!bound) return bound.error();
  probe->reset();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    auto listener = net::listen_on(*bound, true);
    if (!listener) return listener.error();
    sockets.push_back(*std::move(listener));
  }
  return ok();
}

std::vector<net::HandedListener> Gateway::listeners() const {
  std::vector<net::HandedListener> all;
  const auto add = [&all](const Listening& listening) {
    for (const auto& socket : listening.sockets) all.push_back({listening.key, socket.get()});
  };
  add(plain_);
  if (secure_) add(*secure_);
  for (const auto& one : frontend_listeners_) add(one.listening);
  return all;
}

// The workers have copies. A socket with a copy that no worker accepts on would leave clients
// waiting.
void Gateway::close_listeners() {
  plain_.sockets.clear();
  if (secure_) secure_->sockets.clear();
  for (auto& one : frontend_listeners_) one.listening.sockets.clear();
}

// Starts the new process and waits until it is ready. If it never is, nothing changes.
Task<void> Gateway::upgrade() {
  if (stop_asked_.delivered() || std::exchange(upgrading_, true)) co_return ok();
  auto successor = hand_listeners_over();
  if (successor) {
    const Deadline deadline = here().now() + configuration_.settings.stop.upgrade_timeout;
    auto ready = co_await successor->ready(deadline);
    if (ready) {
      log::Line(log::Level::info, "replaced").add("pid", std::int64_t{successor->pid()});
      net::Orphans::spare(successor->pid());
      service_manager_.replaced_by(successor->pid());
      replaced_ = true;
      stop_asked_.deliver(ok());
      co_return ok();
    }
    const bool late = ready.error().code == Code::timeout;
    log::Line(log::Level::error, "upgrade failed")
        .add("why", late ? "it was not ready within stop.upgrade_timeout" : ready.error().message);
    auto ended = co_await successor->end();
    discard(ended, "it is killed in the end");
  } else {
    log::Line(log::Level::error, "upgrade failed").add("why", successor.error().message);
  }
  upgrading_ = false;
  co_return ok();
}

Result<net::Successor> Gateway::hand_listeners_over() const {
  if (session_ || plain_.sockets.empty()) {
    return Error{Code::unavailable, "only `patchbay serve` can be replaced while it runs"};
  }
  if (::getpid() == 1) {
    return Error{Code::unavailable,
                 "this is process 1 of its container, which ends with it: replace the container"};
  }
  log::Line(log::Level::info, "starting a new process");
  return net::Successor::start(listeners());
}

// Waits for the calls that run here while the new process accepts connections.
Task<void> Gateway::finish_calls() {
  const Deadline deadline = here().now() + configuration_.settings.stop.handover_timeout;
  auto finish = [deadline](Worker& worker) { return worker.hand_over(deadline); };
  co_return co_await on_each_worker(finish);
}

}  // namespace patchbay::app
