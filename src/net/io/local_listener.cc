#include "net/io/local_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

// Uses `struct sockaddr`, which not every version of this header declares: after <sys/socket.h>.
#include <linux/vm_sockets.h>

#include <cerrno>
#include <cstring>

#include "net/io/listener.h"
#include "net/io/system_failure.h"

namespace patchbay::net {
namespace {

constexpr int kLocalBacklog = 128;

Fd make_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// A socket file that no program listens on refuses connections.
bool is_abandoned(const sockaddr_un& address) {
  struct stat about{};
  if (::lstat(address.sun_path, &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
  const Fd probe = make_socket(AF_UNIX);
  const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
  return probe && ::connect(probe.get(), raw, sizeof address) != 0 && errno == ECONNREFUSED;
}

}  // namespace

Result<Fd> listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Error{Code::invalid_params,
                 fmt::format("'{}' cannot be the path of a socket: it must have 1 to {} bytes",
                             path, sizeof address.sun_path - 1)};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Fd fd = make_socket(AF_UNIX);
  if (!fd) return system_failure("socket");
  // The mode of the descriptor becomes the mode of the socket file, so no other user can connect in
  // between.
  ::fchmod(fd.get(), S_IRUSR | S_IWUSR);
  const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
  int failed = ::bind(fd.get(), raw, sizeof address);
  if (failed != 0 && errno == EADDRINUSE && is_abandoned(address)) {
    ::unlink(address.sun_path);
    failed = ::bind(fd.get(), raw, sizeof address);
  }
  if (failed != 0 || ::listen(fd.get(), kLocalBacklog) != 0)
    return system_failure("cannot listen on " + path);
  return fd;
}

Result<Fd> listen_vsock(unsigned port) {
  sockaddr_vm address{};
  address.svm_family = AF_VSOCK;
  address.svm_cid = VMADDR_CID_ANY;
  address.svm_port = port;
  Fd fd = make_socket(AF_VSOCK);
  if (!fd) return system_failure("this machine has no vsock");
  const auto* const raw = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(fd.get(), raw, sizeof address) != 0 || ::listen(fd.get(), kLocalBacklog) != 0) {
    return system_failure(fmt::format("cannot listen on vsock port {}", port));
  }
  return fd;
}

Task<Fd> accept_next(Source& listener) {
  for (;;) {
    Fd fd(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) co_return fd;
    if (errno == EAGAIN) {
      auto ready = co_await listener.ready(Source::Direction::read, kNever);
      if (!ready) co_return ready.error();
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      auto slept = co_await sleep_until(here().now() + kAcceptPause);
      if (!slept) co_return slept.error();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      co_return system_failure("accept");
    }
  }
}

}  // namespace patchbay::net
