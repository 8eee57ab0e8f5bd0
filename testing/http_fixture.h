// For tests of the client side of HTTP: a pool beside a server that follows a script.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "net/http/client/pool.h"
#include "testing/loopback.h"

namespace patchbay::testing {

inline constexpr std::string_view kHello =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello";
inline constexpr std::size_t kMost = 64 << 20;

// The same answer to every request.
inline LoopbackServer::Script always(std::string answer) {
  return [answer](Visitor& visitor) -> Task<void> {
    for (;;) {
      auto request = co_await visitor.request();
      if (!request) co_return ok();
      auto sent = co_await visitor.send(answer);
      if (!sent) co_return sent;
    }
  };
}

// "200 hello", or "unavailable: why".
inline Task<std::string> fetch(net::HttpPool& pool, net::HttpCall call, Deadline deadline) {
  auto response = co_await pool.request(call, deadline);
  if (!response) {
    co_return fmt::format("{}: {}", info(response.error().code).name, response.error().message);
  }
  auto body = co_await (*response)->read_all(kMost, deadline);
  if (!body) {
    co_return fmt::format("{} then {}: {}", (*response)->status(), info(body.error().code).name,
                          body.error().message);
  }
  co_return fmt::format("{} {}", (*response)->status(), *body);
}

inline Task<std::string> get(net::HttpPool& pool) {
  const net::HttpCall call{"GET", "/", "", ""};
  co_return co_await fetch(pool, call, in_time());
}

// Runs `make` beside a server that follows `script`, with a pool for it.
template <class Make>
void with_server(LoopbackServer::Script script, Make make, net::HttpPoolSettings settings = {}) {
  on_loop([&]() -> Task<void> {
    LoopbackServer server(std::move(script));
    {
      net::HttpPool pool(server.url(), nullptr, settings);
      auto done = co_await make(pool, server);
      EXPECT_TRUE(done) << done.error().message;
    }
    co_return co_await server.stop();
  });
}

}  // namespace patchbay::testing
