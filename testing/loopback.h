// For tests over real sockets: runs a task on a loop of this thread, beside a scripted server on
// the same loop.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "async/scope.h"
#include "net/io/loop.h"
#include "net/io/socket.h"
#include "net/stream/stream.h"

namespace patchbay::testing {

// Long enough that only a hang reaches it. Members of a group that follow one another on the
// embedded bus have been seen to need 20 s.
inline Deadline in_time() { return Clock::now() + std::chrono::seconds(60); }

// Runs the task that `make` returns on a loop of this thread, to its end.
template <class Make>
void on_loop(Make make) {
  ::signal(SIGPIPE, SIG_IGN);
  net::Loop loop;
  Scope scope;
  auto all = [&]() -> Task<void> {
    auto done = co_await make();
    EXPECT_TRUE(done) << done.error().message;
    loop.quit();
    co_return ok();
  };
  loop.post([&] { scope.spawn(all()); });
  loop.run();
}

// Waits until `condition` holds.
template <class Condition>
Task<void> until(Condition condition) {
  const Deadline deadline = in_time();
  while (!condition()) {
    if (Clock::now() > deadline) co_return Error{Code::timeout, "it did not come to that"};
    auto slept = co_await sleep_until(here().now() + std::chrono::milliseconds(1));
    if (!slept) co_return slept;
  }
  co_return ok();
}

// The server's side of one connection.
struct Visitor {
  net::Stream stream;
  int number;  // Counts connections from 1.
  std::string received = {};

  // The next request, head and body. Code::unavailable once the client has closed.
  Task<std::string> request() {
    for (;;) {
      const auto head = received.find("\r\n\r\n");
      if (head != std::string::npos) {
        const auto at = received.find("Content-Length: ");
        const auto length = at < head ? std::stoul(received.substr(at + 16, 12)) : 0;
        const auto size = head + 4 + length;
        if (received.size() >= size) {
          std::string whole = received.substr(0, size);
          received.erase(0, size);
          co_return whole;
        }
      }
      auto more = co_await read();
      if (!more) co_return more.error();
    }
  }

  // Waits for bytes and adds them to `received`.
  Task<void> read() {
    std::string buffer(64 * 1024, '\0');
    auto got = co_await stream.read_some(buffer, in_time());
    if (!got) co_return got.error();
    received.append(buffer, 0, *got);
    co_return ok();
  }

  Task<void> send(std::string text) {
    co_return co_await stream.write_all(text, std::chrono::seconds(20));
  }

  // Waits until the client closes.
  Task<void> closed() {
    for (;;) {
      auto more = co_await read();
      if (!more) co_return ok();
    }
  }
};

class LoopbackServer {
 public:
  using Script = std::function<Task<void>(Visitor&)>;

  // Runs `script` for each connection, and closes it after that. Under TLS with `tls`.
  explicit LoopbackServer(Script script, std::shared_ptr<const net::TlsContext> tls = nullptr)
      : script_(std::move(script)),
        tls_(std::move(tls)),
        listener_(*net::listen_on(*net::parse_address("127.0.0.1:0"), false)) {
    scope_.spawn(accept());
  }

  net::Url url(const std::string& host = "127.0.0.1") const {
    net::Url url;
    url.tls = tls_ != nullptr;
    url.host = host;
    url.port = net::local_address(listener_.fd())->port();
    return url;
  }

  int accepted() const { return accepted_; }

  // REQUIRES: awaited before the end.
  Task<void> stop() {
    scope_.cancel();
    co_return co_await scope_.drain(kNever);
  }

 private:
  Task<void> accept() {
    for (;;) {
      net::Fd fd(::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (fd) {
        ++accepted_;
        scope_.spawn(serve(std::move(fd), accepted_));
        continue;
      }
      auto ready = co_await listener_.ready(net::Source::Direction::read, kNever);
      if (!ready) co_return ready;
    }
  }

  Task<void> serve(net::Fd fd, int number) {
    Visitor visitor{net::Stream(std::move(fd)), number};
    if (tls_) {
      auto secured = co_await visitor.stream.start_tls(tls_, "", in_time());
      if (!secured) co_return secured;
    }
    co_return co_await script_(visitor);
  }

  const Script script_;
  const std::shared_ptr<const net::TlsContext> tls_;
  net::Source listener_;
  Scope scope_;
  int accepted_ = 0;
};

}  // namespace patchbay::testing
