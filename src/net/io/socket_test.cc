// Tests of connecting and of looking names up, over real sockets.
#include "net/io/socket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>

#include "net/io/resolver.h"
#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::Visitor;

Task<void> wait_for_the_end(Visitor& visitor) { co_return co_await visitor.closed(); }

TEST(Connect, TriesTheAddressesInTurn) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer(wait_for_the_end);
    Address nobody;
    {
      const Fd closed = *listen_on(*parse_address("127.0.0.1:0"), false);
      nobody = *local_address(closed.get());
    }
    const auto somebody = parse_address(fmt::format("127.0.0.1:{}", peer.url().port));
    auto fd = co_await connect_to(std::vector{nobody, *somebody}, in_time());
    EXPECT_TRUE(fd);
    fd = co_await connect_to(std::vector{nobody}, in_time());
    EXPECT_EQ(fd.error().code, Code::unavailable);
    // "localhost" is more than one address; the server has one of them.
    auto named = co_await connect_tcp("LocalHost", peer.url().port, in_time());
    EXPECT_TRUE(named);
    co_return co_await peer.stop();
  });
}

TEST(Connect, ReachesASocketOfThisMachine) {
  on_loop([]() -> Task<void> {
    char name[] = "/tmp/unix_testXXXXXX";
    const std::string path = std::string(::mkdtemp(name)) + "/socket";
    auto refused = connect_unix(path);
    EXPECT_NE(refused.error().message.find(path), std::string::npos);
    const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    EXPECT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_TRUE(connect_unix(path));
    EXPECT_FALSE(connect_unix(std::string(200, 'x')));
    std::filesystem::remove_all(name);
    co_return ok();
  });
}

TEST(Resolver, AnswersNumbersAtOnce) {
  on_loop([]() -> Task<void> {
    auto v4 = co_await look_up("127.0.0.1", 80, kNever);
    EXPECT_EQ((*v4)[0].text(), "127.0.0.1:80");
    auto v6 = co_await look_up("::1", 81, kNever);
    EXPECT_EQ((*v6)[0].text(), "[::1]:81");
    auto local = co_await look_up("localhost", 82, kNever);
    EXPECT_EQ((*local)[0].text(), "127.0.0.1:82");
    EXPECT_EQ((*local)[1].text(), "[::1]:82");
    co_return ok();
  });
}

// getaddrinfo() reads these as numbers without a query; we do not, so a thread runs it.
TEST(Resolver, AsksTheSystemAndKeepsTheAnswer) {
  on_loop([]() -> Task<void> {
    for (int i = 0; i < 3; ++i) {
      auto found = co_await look_up("127.1", 80 + i, in_time());
      if (!found) co_return found.error();
      EXPECT_EQ((*found)[0].text(), fmt::format("127.0.0.1:{}", 80 + i));
    }
    // Longer than any name can be: not looked up.
    auto unknown = co_await look_up(std::string(300, 'x'), 80, in_time());
    EXPECT_EQ(unknown.error().code, Code::unavailable);
    EXPECT_TRUE(unknown.error().message.starts_with("cannot find xxx"));
    co_return ok();
  });
}

TEST(Resolver, ReleasesACancelledLookup) {
  // Many loops that end while their lookups may still be in progress.
  for (int i = 0; i < 50; ++i) {
    on_loop([i]() -> Task<void> {
      Scope scope;
      for (int j = 0; j < 5; ++j) {
        auto ask = [](std::string host) -> Task<void> {
          auto found = co_await look_up(std::move(host), 80, kNever);
          co_return ok();
        };
        scope.spawn(ask(fmt::format("127.{}.{}", i, j)));
      }
      scope.cancel();
      co_return co_await scope.drain(in_time());
    });
  }
}

}  // namespace
}  // namespace patchbay::net
