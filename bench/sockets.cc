#include "bench/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/options.h"

namespace patchbay::bench {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The socket calls take a pointer to the family-neutral struct; this is the one cast.
const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void switch_on(int socket, int level, int option) {
  int on = 1;
  setsockopt(socket, level, option, &on, sizeof on);
}

[[noreturn]] void fail_at(std::string_view what) {
  fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

void control(int epoll, int operation, int socket, std::uint32_t events, void* tag) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = tag;
  if (epoll_ctl(epoll, operation, socket, &event) < 0) fail_at("epoll_ctl");
}

}  // namespace

int listen_on(std::uint16_t port, bool share_port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) fail_at("socket");
  switch_on(listener, SOL_SOCKET, SO_REUSEADDR);
  if (share_port) switch_on(listener, SOL_SOCKET, SO_REUSEPORT);
  auto address = loopback(port);
  if (bind(listener, generic(address), sizeof address) < 0) fail_at("bind");
  if (listen(listener, SOMAXCONN) < 0) fail_at("listen");
  return listener;
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) < 0) fail_at("getsockname");
  return ntohs(address.sin_port);
}

int connect_to(std::uint16_t port) {
  int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client < 0) return -1;
  auto address = loopback(port);
  // Blocking: on loopback a connection is made or refused at once.
  if (connect(client, generic(address), sizeof address) < 0) {
    int why = errno;
    close(client);
    errno = why;
    return -1;
  }
  switch_on(client, IPPROTO_TCP, TCP_NODELAY);
  fcntl(client, F_SETFL, O_NONBLOCK);
  return client;
}

int make_epoll() {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) fail_at("epoll_create1");
  return epoll;
}

void epoll_add(int epoll, int socket, std::uint32_t events, void* tag) {
  control(epoll, EPOLL_CTL_ADD, socket, events, tag);
}

void epoll_change(int epoll, int socket, std::uint32_t events, void* tag) {
  control(epoll, EPOLL_CTL_MOD, socket, events, tag);
}

}  // namespace patchbay::bench
