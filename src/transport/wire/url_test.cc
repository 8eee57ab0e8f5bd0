#include "transport/wire/url.h"

#include <gtest/gtest.h>

namespace patchbay::transport {
namespace {

std::string read(std::string_view text) {
  auto url = parse_wire_url(text);
  if (!url) return "no";
  return (url->tls ? "tls " : "plain ") + url->host + " " + std::to_string(url->port);
}

TEST(WireUrl, ReadsAddresses) {
  EXPECT_EQ(read("tcp://gateway.example"), "plain gateway.example 8444");
  EXPECT_EQ(read("tcps://gateway.example:9000"), "tls gateway.example 9000");
  EXPECT_EQ(read("tcp+tls://10.0.0.1/"), "tls 10.0.0.1 8444");
  EXPECT_EQ(read("tcp://[::1]"), "plain ::1 8444");
  EXPECT_EQ(read("tcp://[::1]:7000"), "plain ::1 7000");
  for (const char* const bad : {"tcp://", "tcp://h:0", "tcp://h:99999", "http://h", "tcp://h/path",
                                "tcp://user@h", "h:8444"}) {
    EXPECT_EQ(read(bad), "no") << bad;
  }
}

}  // namespace
}  // namespace patchbay::transport
