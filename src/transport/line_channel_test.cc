// Tests of lines over real pipes: where they end, what one that does not end costs, and that a peer
// that sends many leaves room for others.
#include "transport/line_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/loopback.h"

namespace patchbay::transport {
namespace {

using testing::on_loop;
using testing::until;

struct Received final : Channel::Listener {
  void on_message(std::string_view message, std::uint64_t) override {
    ++count;
    bytes += message.size();
    if (count <= 3) first.emplace_back(message);
  }
  void on_closed(const std::string& reason) override { why = reason; }

  int count = 0;
  std::size_t bytes = 0;
  std::vector<std::string> first;
  std::string why;
};

// A channel that reads a pipe, and the end to write into.
struct Pipe {
  explicit Pipe(const LineLimits& limits = {}) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    in = net::Fd(ends[1]);
    ::fcntl(in.get(), F_SETPIPE_SZ, 1 << 20);
    ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
    channel.emplace(net::Fd(ends[0]), net::Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)), limits);
  }
  std::size_t put(std::string_view bytes) const {
    const ssize_t put = ::write(in.get(), bytes.data(), bytes.size());
    return put > 0 ? static_cast<std::size_t>(put) : 0;
  }

  net::Fd in;
  std::optional<LineChannel> channel;
  Received received;
};

TEST(LineChannel, TheLastLineNeedsNoLineFeed) {
  on_loop([]() -> Task<void> {
    Pipe pipe;
    pipe.channel->start(pipe.received);
    EXPECT_GT(pipe.put("one\n\n two \r\nthree"), 0U);
    pipe.in.reset();
    const auto ended = [&] { return !pipe.received.why.empty(); };
    auto over = co_await until(ended);
    EXPECT_EQ(pipe.received.first, (std::vector<std::string>{"one", "two", "three"}));
    co_return over;
  });
}

TEST(LineChannel, NothingIsNoLastLine) {
  on_loop([]() -> Task<void> {
    Pipe pipe;
    pipe.channel->start(pipe.received);
    EXPECT_GT(pipe.put("one\n  "), 0U);
    pipe.in.reset();
    const auto ended = [&] { return !pipe.received.why.empty(); };
    auto over = co_await until(ended);
    EXPECT_EQ(pipe.received.count, 1);
    co_return over;
  });
}

TEST(LineChannel, ALineThatIsTooLongEndsIt) {
  on_loop([]() -> Task<void> {
    Pipe pipe(LineLimits{.line = 1000});
    pipe.channel->start(pipe.received);
    EXPECT_GT(pipe.put(std::string(1000, 'x') + "\n" + std::string(1001, 'y')), 0U);
    const auto ended = [&] { return !pipe.received.why.empty(); };
    auto over = co_await until(ended);
    EXPECT_EQ(pipe.received.bytes, 1000U);
    EXPECT_NE(pipe.received.why.find("more than 1000 bytes"), std::string::npos);
    co_return over;
  });
}

TEST(LineChannel, AFloodOfLinesLeavesTurnsToOthers) {
  on_loop([]() -> Task<void> {
    constexpr int kLines = 20'000;
    Pipe pipe;
    std::string flood;
    for (int i = 0; i < kLines; ++i) flood += "{}\n";
    EXPECT_EQ(pipe.put(flood), flood.size());
    pipe.channel->start(pipe.received);
    int most = 0;
    for (int before = 0; pipe.received.count < kLines; before = pipe.received.count) {
      co_await next_turn();
      most = std::max(most, pipe.received.count - before);
    }
    EXPECT_LE(most, 1000);
    co_return ok();
  });
}

}  // namespace
}  // namespace patchbay::transport
