// A line of a program in a message.
#include "net/process/stderr_log.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

TEST(ReadableLine, HasNoControlCharacters) {
  EXPECT_EQ(readable_line("  Error: no key \r\n"), "Error: no key");
  EXPECT_EQ(readable_line("\x1b[1;31mfatal\x1b[0m:\tbad\x07 thing"), "fatal: bad thing");
  EXPECT_EQ(readable_line("a\x1b"), "a");
  EXPECT_EQ(readable_line("a\x1b[12"), "a");
  EXPECT_EQ(readable_line("caf\xc3\xa9 \xff!"), "caf\xc3\xa9 !");
  EXPECT_EQ(readable_line("\xe2\x80\xae"), "\\u202e") << "what would change how the rest is shown";
  EXPECT_EQ(readable_line(""), "");
}

TEST(ReadableLine, IsShort) {
  const std::string line = readable_line(std::string(100'000, 'x'));
  EXPECT_LE(line.size(), 210U);
  EXPECT_TRUE(line.ends_with("…"));
}

}  // namespace
}  // namespace patchbay::upstreams
