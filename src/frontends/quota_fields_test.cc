#include "frontends/quota_fields.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

TEST(QuotaFields, SendRetryAfter) {
  EXPECT_EQ(retry_field(429, R"({"retryAfterMs":1})"), "Retry-After: 1\r\n");
  EXPECT_EQ(retry_field(429, R"({"retryAfterMs":1001})"), "Retry-After: 2\r\n");
  EXPECT_EQ(retry_field(503, "{}"), "Retry-After: 1\r\n");
  EXPECT_EQ(retry_field(200, R"({"retryAfterMs":1})"), "");
}

TEST(QuotaFields, StandTheLargestNumber) {
  EXPECT_EQ(retry_field(429, R"({"retryAfterMs":9223372036854775807})"),
            "Retry-After: 9223372036854776\r\n");
  EXPECT_EQ(retry_field(429, R"({"retryAfterMs":-9223372036854775808})"), "Retry-After: 1\r\n");
}

}  // namespace
}  // namespace patchbay::frontends
