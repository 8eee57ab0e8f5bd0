#include "oauth/device_flow.h"

#include <gtest/gtest.h>

namespace patchbay::oauth {
namespace {

TEST(DeviceFlow, ReadsWhatAPersonNeeds) {
  const auto code = parse_device_code(
      R"({"device_code":"secret","user_code":"WDJB-MJHT","verification_uri":"https://a.example/d",)"
      R"("verification_uri_complete":"https://a.example/d?c=WDJB-MJHT","expires_in":900})");
  ASSERT_TRUE(code);
  EXPECT_EQ(code->device, "secret");
  EXPECT_EQ(code->expires, std::chrono::seconds(900));
  EXPECT_EQ(code->interval, std::chrono::seconds(5));
  EXPECT_EQ(
      sign_in_message(*code),
      "to sign in, open https://a.example/d?c=WDJB-MJHT and check that the code is WDJB-MJHT");
}

TEST(DeviceFlow, DoesWithoutALink) {
  const auto code = parse_device_code(
      R"({"device_code":"s","user_code":"1234","verification_uri":"https://a.example/d",)"
      R"("verification_uri_complete":"javascript:x","interval":100000,"expires_in":-1})");
  ASSERT_TRUE(code);
  EXPECT_EQ(sign_in_message(*code), "to sign in, open https://a.example/d and enter the code 1234");
  EXPECT_EQ(code->interval, std::chrono::seconds(60));
  EXPECT_EQ(code->expires, std::chrono::seconds(1));
}

TEST(DeviceFlow, RefusesUnprintableText) {
  for (const auto* const bad : {
           "",
           "[]",
           "{}",
           R"({"device_code":"s","user_code":"1"})",
           R"({"device_code":"s","user_code":"1","verification_uri":"ftp://a"})",
           R"({"device_code":"s","user_code":"\u001b[31m","verification_uri":"https://a/"})",
           R"({"device_code":"","user_code":"1","verification_uri":"https://a/"})",
       }) {
    EXPECT_FALSE(parse_device_code(bad)) << bad;
  }
}

}  // namespace
}  // namespace patchbay::oauth
