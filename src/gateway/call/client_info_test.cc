#include "gateway/call/client_info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

std::string info_in(const std::string& params) {
  const std::string text =
      fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}})", params);
  mcp::Message message;
  EXPECT_TRUE(mcp::parse(text, message));
  return client_info_of(message);
}

TEST(ClientInfo, IsNameAndVersion) {
  EXPECT_EQ(info_in(R"({"clientInfo":{"name":"claude-ai","version":"0.1.0"}})"), "claude-ai 0.1.0");
  EXPECT_EQ(info_in(R"({"clientInfo":{"name":"inspector"}})"), "inspector");
  EXPECT_EQ(
      info_in(R"({"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"a","version":"2"}}})"),
      "a 2");
}

TEST(ClientInfo, IsEmptyWithoutAName) {
  for (const auto* const params :
       {R"({})", R"({"clientInfo":7})", R"({"clientInfo":{}})", R"({"clientInfo":{"name":""}})",
        R"({"clientInfo":{"name":5,"version":"1"}})"}) {
    EXPECT_EQ(info_in(params), "") << params;
  }
}

TEST(ClientInfo, IsBoundedAndHarmless) {
  EXPECT_EQ(info_in(R"({"clientInfo":{"name":"a b\n\"=c","version":"1\u00e9"}})"), "a_b___c 1__");
  const std::string longest =
      info_in(fmt::format(R"({{"clientInfo":{{"name":"{}","version":"{}"}}}})",
                          std::string(900, 'n'), std::string(900, '1')));
  EXPECT_EQ(longest.size(), 64u + 1 + 32);
}

TEST(ClientInfo, HasAName) {
  EXPECT_EQ(client_name("claude-ai 0.1.0"), "claude-ai");
  EXPECT_EQ(client_name("inspector"), "inspector");
  EXPECT_EQ(client_name(""), "unknown");
}

}  // namespace
}  // namespace patchbay::gateway
