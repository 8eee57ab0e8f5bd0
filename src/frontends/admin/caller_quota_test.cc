#include "frontends/admin/caller_quota.h"

#include <gtest/gtest.h>

#include <optional>

namespace patchbay::frontends {
namespace {

class CallerQuotaTest : public ::testing::Test {
 protected:
  CallerQuotaTest() { quota_.set_most(3, 2); }

  CallerQuota::Slot take(const std::string& caller, bool is_admin = false) {
    auto slot = quota_.take(caller, is_admin);
    error_ = slot ? std::nullopt : std::optional(slot.error());
    return slot ? *std::move(slot) : CallerQuota::Slot();
  }

  CallerQuota quota_{{"streams", "x.max_streams", "x.max_streams_per_caller"}};
  std::optional<Error> error_;
};

TEST_F(CallerQuotaTest, ACallerHasItsShare) {
  const auto first = take("ann");
  {
    const auto second = take("ann");
    EXPECT_FALSE(error_);
    const auto third = take("ann");
    ASSERT_TRUE(error_);
    EXPECT_EQ(error_->code, Code::rate_limited);
    EXPECT_TRUE(error_->message.contains("(x.max_streams_per_caller)")) << error_->message;
  }
  const auto again = take("ann");
  EXPECT_FALSE(error_);
}

TEST_F(CallerQuotaTest, AnAdminHasTheTotal) {
  const auto first = take("root", true);
  const auto second = take("root", true);
  const auto third = take("root", true);
  EXPECT_FALSE(error_);
  const auto fourth = take("root", true);
  ASSERT_TRUE(error_);
  EXPECT_EQ(error_->code, Code::overloaded);
  EXPECT_TRUE(error_->message.contains("(x.max_streams)")) << error_->message;
}

TEST_F(CallerQuotaTest, BoundsChange) {
  auto first = take("ann");
  const auto second = take("ann");
  quota_.set_most(1, 1);
  const auto third = take("bob");
  EXPECT_TRUE(error_);
  first = {};
  const auto fourth = take("bob");
  EXPECT_TRUE(error_) << "what is in use counts";
  quota_.set_most(2, 1);
  const auto fifth = take("bob");
  EXPECT_FALSE(error_);
}

}  // namespace
}  // namespace patchbay::frontends
