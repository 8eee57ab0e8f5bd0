// The common part of the HTTP servers of the benchmarks: one thread, one epoll set, connections
// that are read, answered and written until the socket is full.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/sockets.h"

namespace patchbay::bench {

// `Connection` has `int socket` and `bool waits_to_write`. `Server` has take(connection, bytes),
// which takes what was read, and flush(connection), which is false if the connection is broken.
template <class Server, class Connection>
class EpollLoop {
 public:
  explicit EpollLoop(int listener) : listener_(listener) {
    epoll_add(epoll_, listener_, EPOLLIN, nullptr);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events;
    for (;;) {
      int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < ready; ++i) {
        const auto& event = events[static_cast<std::size_t>(i)];
        if (event.data.ptr == nullptr) {
          accept_all();
        } else {
          serve(*static_cast<Connection*>(event.data.ptr), event.events);
        }
      }
    }
  }

 protected:
  void set_writable_interest(Connection& connection, bool interest) {
    if (interest == connection.waits_to_write) return;
    connection.waits_to_write = interest;
    std::uint32_t events = EPOLLIN;
    if (interest) events |= EPOLLOUT;
    epoll_change(epoll_, connection.socket, events, &connection);
  }

 private:
  void accept_all() {
    for (;;) {
      int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (client < 0) return;
      int on = 1;
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      auto* connection = new Connection;  // Freed in drop(); the epoll set holds it meanwhile.
      connection->socket = client;
      epoll_add(epoll_, client, EPOLLIN, connection);
    }
  }

  void drop(Connection& connection) {
    close(connection.socket);
    delete &connection;
  }

  void serve(Connection& connection, std::uint32_t events) {
    auto& server = static_cast<Server&>(*this);
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
      ssize_t count = read(connection.socket, buffer_.data(), buffer_.size());
      if (count == 0 || (count < 0 && errno != EAGAIN)) return drop(connection);
      if (count > 0) {
        server.take(connection, std::string_view(buffer_.data(), static_cast<std::size_t>(count)));
      }
    }
    if (!server.flush(connection)) drop(connection);
  }

  int listener_;
  int epoll_ = make_epoll();
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
};

}  // namespace patchbay::bench
