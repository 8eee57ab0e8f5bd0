#include "net/io/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/http_token.h"
#include "net/http/syntax/parse.h"
#include "net/io/resolver.h"
#include "net/io/source.h"

namespace patchbay::net {
namespace {

constexpr int kBacklog = 4096;

Error fault(std::string_view what) {
  return {Code::unavailable, fmt::format("{}: {}", what, std::strerror(errno))};
}

const sockaddr* raw(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}

Result<Address> numeric(const std::string& host, std::uint16_t port) {
  Address address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
    return address;
  }
  if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
    return address;
  }
  return Error{Code::invalid_params, fmt::format("'{}' is not a numeric address", host)};
}

}  // namespace

std::string Address::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  if (storage.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, host,
                sizeof host);
    return fmt::format("[{}]:{}", host, port());
  }
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, host,
              sizeof host);
  return fmt::format("{}:{}", host, port());
}

int Address::port() const {
  const bool v6 = storage.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

bool Address::loopback() const {
  if (storage.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr);
  }
  return ntohl(reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr) >> 24 == 127;
}

Result<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  const Error wrong{Code::invalid_params,
                    fmt::format("'{}' is not an address; write it as 127.0.0.1:8080", text)};
  if (colon == std::string_view::npos) return wrong;
  std::uint16_t port = 0;
  const auto digits = text.substr(colon + 1);
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (bad != std::errc() || end != digits.data() + digits.size()) return wrong;
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  auto address = numeric(host, port);
  if (!address) return wrong;
  return address;
}

std::vector<Address> numeric_addresses(const std::string& host, int port) {
  const auto number = static_cast<std::uint16_t>(port);
  if (auto address = numeric(host, number)) return {*address};
  if (same_token(host, "localhost")) {
    return {*numeric("127.0.0.1", number), *numeric("::1", number)};
  }
  return {};
}

Result<Fd> listen_on(const Address& address, bool shared) {
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fault("socket");
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (shared) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (::bind(fd.get(), raw(address), address.size) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return fault("cannot listen on " + address.text());
  }
  return fd;
}

Result<Address> local_address(int fd) {
  Address address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) {
    return fault("getsockname");
  }
  return address;
}

Task<Fd> connect_to(Address address, Deadline deadline) {
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) co_return fault("socket");
  set_no_delay(fd.get());
  if (::connect(fd.get(), raw(address), address.size) != 0) {
    if (errno != EINPROGRESS) co_return fault("cannot connect to " + address.text());
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
    if (failed != 0) co_return fault("cannot connect to " + address.text());
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
  if (!fd) return fault("socket");
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fault("cannot connect to " + path);
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

}  // namespace patchbay::net
