// Tests of sources that the kernel does not watch.
#include "net/io/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using testing::in_time;
using testing::on_loop;
using testing::until;

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0); }
};

struct Notified : Source::Waiter {
  virtual ~Notified() = default;
  bool notified = false;
  void on_ready() override { notified = true; }
};

// The kernel refuses to watch a descriptor twice.
TEST(Source, WhatCannotBeWatchedFailsInsteadOfWaiting) {
  on_loop([]() -> Task<void> {
    const Pipe pipe;
    const Fd writing(pipe.ends[1]);
    const Source watched(Fd(pipe.ends[0]));
    Source refused(Fd(pipe.ends[0]));
    char byte = 0;
    auto got = co_await refused.read_some(std::span(&byte, 1), in_time());
    EXPECT_EQ(got.error().code, Code::unavailable);
    EXPECT_NE(got.error().message.find("cannot watch"), std::string::npos) << got.error().message;
    auto ready = co_await refused.ready(Source::Direction::read, in_time());
    EXPECT_EQ(ready.error().code, Code::unavailable);
    co_return ok();
  });
}

TEST(Source, WaitersOfWhatCannotBeWatchedAreWoken) {
  on_loop([]() -> Task<void> {
    const Pipe pipe;
    const Fd writing(pipe.ends[1]);
    const Source watched(Fd(pipe.ends[0]));
    Source refused(Fd(pipe.ends[0]));
    Notified notified;
    refused.wait_readable(notified);
    co_return co_await until([&] { return notified.notified; });
  });
}

TEST(Source, FilesNeedNoWatching) {
  on_loop([]() -> Task<void> {
    Source file(Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    char byte = 0;
    auto got = co_await file.read_some(std::span(&byte, 1), in_time());
    EXPECT_TRUE(got) << got.error().message;
    co_return ok();
  });
}

}  // namespace
}  // namespace patchbay::net
