#include "net/io/socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "net/io/resolver.h"
#include "net/io/source.h"
#include "net/io/system_failure.h"

namespace patchbay::net {
namespace {

constexpr int kBacklog = 4096;

const sockaddr* raw(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}

}  // namespace

Result<Fd> listen_on(const Address& address, bool shared) {
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return system_failure("socket");
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (shared) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (::bind(fd.get(), raw(address), address.size) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return system_failure("cannot listen on " + address.text());
  }
  return fd;
}

Result<Address> local_address(int fd) {
  Address address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) {
    return system_failure("getsockname");
  }
  return address;
}

Task<Fd> connect_to(Address address, Deadline deadline) {
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) co_return system_failure("socket");
  set_no_delay(fd.get());
  if (::connect(fd.get(), raw(address), address.size) != 0) {
    if (errno != EINPROGRESS) co_return system_failure("cannot connect to " + address.text());
    // A copy of the descriptor waits, so that the caller gets one that no loop has registered.
    Source waiting(Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)));
    auto ready = co_await waiting.ready(Source::Direction::write, deadline);
    if (!ready && ready.error().code == Code::timeout) {
      co_return Error{Code::timeout, fmt::format("cannot connect to {} in time", address.text())};
    }
    if (!ready) co_return ready.error();
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
    errno = failed;
    if (failed != 0) co_return system_failure("cannot connect to " + address.text());
  }
  co_return fd;
}

Task<Fd> connect_to(std::vector<Address> addresses, Deadline deadline) {
  Result<Fd> connected;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto others = static_cast<int>(addresses.size() - i);
    // Time passes while addresses are tried: the time of the turn may be long past.
    const auto now = Clock::now();
    const auto share = i + 1 == addresses.size() ? deadline : now + (deadline - now) / others;
    connected = co_await connect_to(addresses[i], share);
    if (connected || connected.error().code == Code::cancelled || Clock::now() >= deadline) break;
  }
  co_return connected;
}

Task<Fd> connect_tcp(std::string host, int port, Deadline deadline, AddressRule rule) {
  auto addresses = co_await look_up(host, port, deadline);
  if (!addresses) co_return addresses.error();
  if (rule) std::erase_if(*addresses, [&](const auto& one) { return !rule(one); });
  if (addresses->empty()) {
    co_return Error{Code::unavailable, fmt::format("{} has an address that is not allowed", host)};
  }
  co_return co_await connect_to(*std::move(addresses), deadline);
}

Result<Fd> connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Error{Code::invalid_params, fmt::format("'{}' is not the path of a socket", path)};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return system_failure("socket");
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return system_failure("cannot connect to " + path);
  }
  return fd;
}

void notice_dead_peer(int fd) {
  constexpr int kSecondsIdle = 30;
  constexpr int kSecondsBetween = 10;
  constexpr int kProbes = 3;
  constexpr unsigned kUnacknowledgedMs = 60'000;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kSecondsIdle, sizeof kSecondsIdle);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kSecondsBetween, sizeof kSecondsBetween);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMs, sizeof kUnacknowledgedMs);
}

void send_at_once(int fd, std::string_view bytes) {
  [[maybe_unused]] const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void set_small_send_queue(int fd) {
  constexpr int kUnsentBytes = 1024 * 1024;  // An answer of usual size is taken in one piece.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof kUnsentBytes);
}

}  // namespace patchbay::net
