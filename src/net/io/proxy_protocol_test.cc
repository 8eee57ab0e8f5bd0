#include "net/io/proxy_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace patchbay::net {
namespace {

constexpr std::size_t kMost = 1024;
constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);

std::string v2(char command, char family, std::string_view block) {
  std::string header(kSignature);
  header += {command, family, static_cast<char>(block.size() >> 8),
             static_cast<char>(block.size() & 0xff)};
  return header + std::string(block);
}

// Reads as a connection does: exactly what is missing, again and again.
Result<std::optional<PeerAddress>> read(std::string_view bytes, std::size_t& used) {
  for (used = 0;;) {
    auto missing = missing_of_proxy_header(bytes.substr(0, used), kMost);
    if (!missing) return missing.error();
    if (*missing == 0) return parse_proxy_header(bytes.substr(0, used));
    used += *missing;
    if (used > bytes.size()) return Error{Code::unavailable, "cut off"};
  }
}

std::string source_of(std::string_view bytes) {
  std::size_t used = 0;
  auto source = read(bytes, used);
  if (!source) return "refused";
  return *source ? (*source)->text() : "none";
}

TEST(ProxyProtocol, StatesTheClientInBothVersions) {
  const std::string_view four("\xC0\x00\x02\x07\x0A\x00\x00\x01\x9C\x40\x01\xBB", 12);
  std::string six(36, '\0');
  six[0] = 0x20;
  six[1] = 0x01;
  six[15] = 0x05;
  six[33] = 0x50;
  const std::pair<std::string, std::string> rows[] = {
      {"PROXY TCP4 192.0.2.7 10.0.0.1 40000 443\r\n", "192.0.2.7:40000"},
      {"PROXY TCP6 2001:db8::5 ::1 80 443\r\n", "[2001:db8::5]:80"},
      {"PROXY UNKNOWN\r\n", "none"},
      {"PROXY UNKNOWN ff:: ff:: 1 2\r\n", "none"},
      {v2(0x21, 0x11, four), "192.0.2.7:40000"},
      {v2(0x21, 0x11, std::string(four) + "\x04\x00\x01x"), "192.0.2.7:40000"},
      {v2(0x21, 0x21, six), "[2001::5]:80"},
      {v2(0x20, 0x00, ""), "none"},
      {v2(0x21, 0x00, "abc"), "none"},
  };
  for (const auto& [header, expected] : rows) {
    EXPECT_EQ(source_of(header), expected) << header;
    // What follows is not part of it.
    std::size_t used = 0;
    EXPECT_TRUE(read(header + "GET / HTTP/1.1\r\n", used)) << header;
    EXPECT_EQ(used, header.size()) << header;
  }
}

TEST(ProxyProtocol, RefusesEverythingElse) {
  const std::string rows[] = {
      "GET / HTTP/1.1\r\n\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 40000\r\n",
      "PROXY TCP4 192.0.2.300 10.0.0.1 40000 443\r\n",
      "PROXY TCP4 2001:db8::5 ::1 80 443\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 70000 443\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 040 443\r\n",
      "PROXY TCP4  192.0.2.7 10.0.0.1 40 443\r\n",
      "PROXY UDP4 192.0.2.7 10.0.0.1 40 443\r\n",
      std::string("PROXY TCP4 192.0.2.7\0x 10.0.0.1 40 443\r\n", 41),
      "PROXY UNKNOWN\n\n",
      "PROXY UNKNOWN " + std::string(120, 'x') + "\r\n",
      v2(0x11, 0x11, std::string(12, 'x')),
      v2(0x22, 0x11, std::string(12, 'x')),
      v2(0x21, 0x31, std::string(216, 'x')),
      v2(0x21, 0x11, "short"),
      v2(0x21, 0x11, std::string(2000, 'x')),
      "",
      "PROXY",
  };
  for (const auto& header : rows) EXPECT_EQ(source_of(header), "refused") << header;
}

TEST(ProxyProtocol, NamesTheLimitOfTheHeader) {
  const auto refused = missing_of_proxy_header(v2(0x21, 0x11, std::string(2000, 'x')), kMost);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("max_proxy_header_size"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::net
