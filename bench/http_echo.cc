// http_echo: the answers of echo_answers.h over Streamable HTTP, as one JSON text per POST. It
// checks only what the measurement needs.
//
// One thread, one epoll set.

#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/echo_answers.h"
#include "bench/epoll_loop.h"
#include "bench/http_head.h"
#include "bench/options.h"
#include "bench/sockets.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kUsage =
    "http_echo [--port 0] [--stateless 0]\n"
    "An MCP server over HTTP; prints `port N`, then `ready`.";

struct Connection {
  int socket = -1;
  std::string in;
  std::string out;
  std::size_t sent = 0;
  bool waits_to_write = false;
};

class Server : public EpollLoop<Server, Connection> {
 public:
  Server(int listener, bool stateless) : EpollLoop(listener), answers_(stateless) {}

  // Answers the complete requests.
  void take(Connection& connection, std::string_view bytes) {
    connection.in += bytes;
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
        set_writable_interest(connection, true);
        return true;
      }
      connection.sent += static_cast<std::size_t>(count);
    }
    connection.out.clear();
    connection.sent = 0;
    set_writable_interest(connection, false);
    return true;
  }

 private:
  EchoAnswers answers_;
  std::string text_;
};

int main(int argc, char** argv) {
  Options options(argc, argv, kUsage, {"--port", "--stateless"});
  signal(SIGPIPE, SIG_IGN);
  int listener = listen_on(static_cast<std::uint16_t>(options.number("--port", 0)), false);
  fmt::print("port {}\nready\n", port_of(listener));
  std::fflush(stdout);
  Server(listener, options.number("--stateless", 0) != 0).run();
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) { return patchbay::bench::main(argc, argv); }
