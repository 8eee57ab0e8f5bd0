#include "bus/bearer_token.h"

#include <gtest/gtest.h>

#include <string_view>

#include "core/base64.h"

namespace patchbay::bus {
namespace {

TEST(BearerToken, AJwtHasItsPrincipalAndExpiry) {
  const std::string jwt =
      "e30." + base64url_encode(R"({"sub":"gateway","exp":1700000000.5})") + ".sig";
  const BearerToken token = describe_token(jwt, 1);
  EXPECT_EQ(token.value, jwt);
  EXPECT_EQ(token.principal, "gateway");
  EXPECT_EQ(token.expires, 1'700'000'000'500);
}

TEST(BearerToken, AnEndThatIsNoTimeIsBounded) {
  const auto expires = [](std::string_view end) {
    const auto claims = base64url_encode(std::string(R"({"exp":)").append(end).append("}"));
    return describe_token("e30." + claims + ".sig", 1).expires;
  };
  EXPECT_EQ(expires("1e300"), 253'402'300'799'000);
  EXPECT_EQ(expires("-1e300"), 0);
}

TEST(BearerToken, AnyOtherLastsAnHour) {
  for (const std::string text : {"opaque", "a.b.c", "..", "a.!.c"}) {
    const BearerToken token = describe_token(text, 1000);
    EXPECT_EQ(token.expires, 3'601'000);
    EXPECT_EQ(token.principal, "patchbay");
  }
}

TEST(BearerToken, IsGivenOrInAFile) {
  EXPECT_EQ(read_token({" t\n", ""}, 0)->value, "t");
  EXPECT_FALSE(read_token({"", "/nowhere/at/all"}, 0));
  EXPECT_FALSE(read_token({"\n", ""}, 0));
}

}  // namespace
}  // namespace patchbay::bus
