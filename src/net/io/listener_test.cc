// Tests of accepting, over real sockets.
#include "net/io/listener.h"

#include <gtest/gtest.h>

#include <vector>

#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using testing::on_loop;

// How many connections are taken off a queue of `waiting` in each turn of the loop.
std::vector<int> accepted_per_turn(int waiting) {
  std::vector<int> turns;
  on_loop([&]() -> Task<void> {
    Fd listener = *listen_on(*parse_address("127.0.0.1:0"), false);
    const Address address = *local_address(listener.get());
    std::vector<Fd> clients;
    for (int i = 0; i < waiting; ++i) {
      Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const auto* const raw = reinterpret_cast<const sockaddr*>(&address.storage);
      EXPECT_EQ(::connect(client.get(), raw, address.size), 0);
      clients.push_back(std::move(client));
    }
    metrics::Registry registry;
    int accepted = 0;
    Accepting accepting(registry.counter("refused", "Refused."),
                        [&](Fd, const PeerAddress&, bool) { ++accepted; });
    accepting.start(std::move(listener), false);
    while (accepted < waiting) {
      turns.push_back(std::exchange(accepted, 0));
      waiting -= turns.back();
      co_await next_turn();
    }
    turns.push_back(accepted);
    accepting.close();
    co_return co_await accepting.stop();
  });
  return turns;
}

TEST(Accepting, TakesAFewPerTurnHoweverManyWait) {
  int all = 0;
  for (const int taken : accepted_per_turn(100)) {
    EXPECT_LE(taken, 8);
    all += taken;
  }
  EXPECT_EQ(all, 100);
}

}  // namespace
}  // namespace patchbay::net
