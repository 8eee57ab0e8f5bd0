// epoll_server: the upper bound. The minimum that a process can do to answer HTTP/1.1: wait, read
// until the blank line and Content-Length bytes more, write a fixed answer. It checks nothing,
// routes nothing and logs nothing, so its cost per request is that of the kernel.
//
// Each thread has its own listener (SO_REUSEPORT), epoll set and connections; only the answer,
// which never changes, is shared.

#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/epoll_loop.h"
#include "bench/http_head.h"
#include "bench/options.h"
#include "bench/sockets.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kUsage =
    "epoll_server [--port 0] [--threads 1] [--bytes 64]\n"
    "Answers every HTTP request with 200 and --bytes bytes; prints `port N`, then `ready`.";

struct Connection {
  int socket = -1;
  std::string partial;           // The start of an incomplete request.
  std::size_t owed = 0;          // Answers to write, the one in progress included.
  std::size_t sent = 0;          // Bytes of the current answer that have been sent.
  std::size_t body_to_skip = 0;  // Of a request whose head is complete.
  bool waits_to_write = false;
};

std::string make_answer(std::size_t bytes) {
  auto answer = fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", bytes);
  answer.append(bytes, 'x');
  return answer;
}

class Server : public EpollLoop<Server, Connection> {
 public:
  Server(int listener, const std::string& answer) : EpollLoop(listener), answer_(answer) {}

  // Counts the requests that end inside `bytes`; a head cut in two waits for the next read.
  void take(Connection& connection, std::string_view bytes) {
    std::string joined;
    if (!connection.partial.empty()) {
      joined = std::exchange(connection.partial, {}).append(bytes);
      bytes = joined;
    }
    while (!bytes.empty()) {
      if (connection.body_to_skip > 0) {
        auto skipped = std::min(connection.body_to_skip, bytes.size());
        connection.body_to_skip -= skipped;
        bytes.remove_prefix(skipped);
      } else {
        auto end = bytes.find("\r\n\r\n");
        if (end == bytes.npos) {
          connection.partial = bytes;
          return;
        }
        connection.body_to_skip = content_length(bytes.substr(0, end + 2));
        bytes.remove_prefix(end + 4);
      }
      if (connection.body_to_skip == 0) ++connection.owed;
    }
  }

  // Writes the pending answers until the socket is full. False: the connection is broken.
  bool flush(Connection& connection) {
    while (connection.owed > 0) {
      auto rest = std::string_view(answer_).substr(connection.sent);
      ssize_t count = send(connection.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN) return false;
      if (count > 0) connection.sent += static_cast<std::size_t>(count);
      if (connection.sent < answer_.size()) {
        if (count >= 0) continue;
        set_writable_interest(connection, true);
        return true;
      }
      connection.sent = 0;
      --connection.owed;
    }
    set_writable_interest(connection, false);
    return true;
  }

 private:
  const std::string& answer_;
};

int main(int argc, char** argv) {
  Options options(argc, argv, kUsage, {"--port", "--threads", "--bytes"});
  auto threads = options.number("--threads", 1);
  const auto answer = make_answer(static_cast<std::size_t>(options.number("--bytes", 64)));
  signal(SIGPIPE, SIG_IGN);

  int first = listen_on(static_cast<std::uint16_t>(options.number("--port", 0)), threads > 1);
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i) {
    others.emplace_back(
        [&answer, listener = listen_on(port_of(first), true)] { Server(listener, answer).run(); });
  }
  fmt::print("port {}\nready\n", port_of(first));
  std::fflush(stdout);
  Server(first, answer).run();
}

}  // namespace
}  // namespace patchbay::bench

int main(int argc, char** argv) { return patchbay::bench::main(argc, argv); }
