// http_echo: the answers of echo_answers.h over Streamable HTTP, as one JSON text per POST. It
// checks nothing that the measurement does not need.
//
// One thread, one epoll set.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/echo_answers.h"
#include "bench/http_head.h"
#include "bench/options.h"
#include "bench/sockets.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kUsage =
    "http_echo [--port 0] [--modern 0]\n"
    "An MCP server over HTTP; prints `port N`, then `ready`.";

struct Connection {
  int socket = -1;
  std::string in;
  std::string out;
  std::size_t sent = 0;
  bool waits_to_write = false;
};

class Server {
 public:
  Server(int listener, bool modern) : listener_(listener), answers_(modern) {
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
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
      ssize_t count = read(connection.socket, buffer_.data(), buffer_.size());
      if (count == 0 || (count < 0 && errno != EAGAIN)) return drop(connection);
      if (count > 0) connection.in.append(buffer_.data(), static_cast<std::size_t>(count));
      answer_all(connection);
    }
    if (!flush(connection)) drop(connection);
  }

  // Answers the requests that have come whole.
  void answer_all(Connection& connection) {
    std::string_view in = connection.in;
    for (;;) {
      const auto end = in.find("\r\n\r\n");
      if (end == in.npos) break;
      const auto length = content_length(in.substr(0, end + 2));
      if (in.size() < end + 4 + length) break;
      answer(in.starts_with("POST "), in.substr(end + 4, length), connection.out);
      in.remove_prefix(end + 4 + length);
    }
    connection.in.erase(0, connection.in.size() - in.size());
  }

  void answer(bool posted, std::string_view body, std::string& out) {
    if (!posted) {
      out += "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
      return;
    }
    text_.clear();
    answers_.answer(body, text_);
    if (text_.empty()) {
      out += "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
      return;
    }
    out += fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        text_.size());
    out += text_;
  }

  // Writes until the socket is full. False: the connection is broken.
  bool flush(Connection& connection) {
    while (connection.sent < connection.out.size()) {
      auto rest = std::string_view(connection.out).substr(connection.sent);
      ssize_t count = send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN) return false;
      if (count < 0) {
        want_to_write(connection, true);
        return true;
      }
      connection.sent += static_cast<std::size_t>(count);
    }
    connection.out.clear();
    connection.sent = 0;
    want_to_write(connection, false);
    return true;
  }

  void want_to_write(Connection& connection, bool wants) {
    if (wants == connection.waits_to_write) return;
    connection.waits_to_write = wants;
    std::uint32_t events = EPOLLIN;
    if (wants) events |= EPOLLOUT;
    epoll_change(epoll_, connection.socket, events, &connection);
  }

  int listener_;
  EchoAnswers answers_;
  int epoll_ = make_epoll();
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
  std::string text_;
};

int main(int argc, char** argv) {
  Options options(argc, argv, kUsage, {"--port", "--modern"});
  signal(SIGPIPE, SIG_IGN);
  int listener = listen_on(static_cast<std::uint16_t>(options.number("--port", 0)), false);
  fmt::print("port {}\nready\n", port_of(listener));
  std::fflush(stdout);
  Server(listener, options.number("--modern", 0) != 0).run();
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) { return patchbay::bench::main(argc, argv); }
