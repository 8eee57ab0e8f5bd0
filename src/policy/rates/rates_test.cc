#include "policy/rates/rates.h"

#include <gtest/gtest.h>

#include "core/discard.h"

namespace patchbay::policy {
namespace {

using std::chrono::seconds;

struct RatesTest : testing::Test {
  Result<void> ask(Rates& rates, const std::string& id, std::string_view tool = {}) {
    caller.id = id;
    auto permit = std::make_unique<Rates::Permit>();
    const Rates::Request request{caller, "127.0.0.1", tool.substr(0, tool.find('.')), tool};
    quota.reset();
    auto admitted = rates.admit(request, now, *permit, quota);
    if (admitted && !tool.empty()) admitted = rates.admit_to(request, now, *permit);
    if (admitted) running.push_back(std::move(permit));
    return admitted;
  }

  Principal caller;
  Deadline now = Deadline(std::chrono::hours(1));
  std::optional<Quota> quota;
  std::vector<std::unique_ptr<Rates::Permit>> running;
};

TEST_F(RatesTest, LetsABurstThroughAndThenTheRate) {
  Rates rates(
      {{.per = Per::principal, .calls = 60, .window = config::Duration(60'000), .burst = 3}}, 100);
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_EQ(quota->remaining, 2);
  EXPECT_EQ(quota->limit, 3);
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_TRUE(ask(rates, "a"));
  auto refused = ask(rates, "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::rate_limited);
  EXPECT_EQ(refused.error().data,
            R"({"reason":"rate_limited","limit":60,"window":"1m","retryAfterMs":1000})");
  EXPECT_EQ(quota->remaining, 0);
  EXPECT_TRUE(ask(rates, "b")) << "each has its own";
  now += seconds(1);
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_FALSE(ask(rates, "a"));
  now += seconds(60);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(rates, "a"));
  EXPECT_FALSE(ask(rates, "a")) << "what was not used is not saved up";
}

TEST_F(RatesTest, BoundsWhatRunsAtOnce) {
  Rates rates({{.per = Per::tool, .of = {"web.*"}, .running = 2}}, 100);
  EXPECT_TRUE(ask(rates, "a", "web.search"));
  EXPECT_TRUE(ask(rates, "b", "web.search"));
  EXPECT_FALSE(ask(rates, "c", "web.search"));
  EXPECT_TRUE(ask(rates, "c", "web.read")) << "another tool";
  EXPECT_TRUE(ask(rates, "c", "file.read")) << "not of these";
  running.clear();
  EXPECT_TRUE(ask(rates, "c", "web.search"));
}

TEST_F(RatesTest, CountsOnlyCallersWithARole) {
  Rates rates({{.per = Per::everyone, .roles = {"guest"}, .calls = 1}}, 100);
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_FALSE(quota);
  caller.roles = {"guest"};
  EXPECT_TRUE(ask(rates, "a"));
  EXPECT_FALSE(ask(rates, "b")) << "all guests together";
}

TEST_F(RatesTest, KeepsNoMoreThanItsBound) {
  Rates rates({{.per = Per::principal, .calls = 2}}, 16);
  for (int i = 0; i < 1000; ++i) {
    discard(ask(rates, std::to_string(i)), "only the number of entries matters");
  }
  EXPECT_FALSE(ask(rates, "one more")) << "those beyond the bound share what one has";
  now += seconds(120);
  EXPECT_TRUE(ask(rates, "one more")) << "idle entries are evicted";
}

TEST_F(RatesTest, ARefusedCallUsesNothingUp) {
  Rates rates({{.per = Per::principal, .calls = 1, .window = config::Duration(10'000)}}, 100);
  EXPECT_TRUE(ask(rates, "a"));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ask(rates, "a"));
  now += seconds(10);
  EXPECT_TRUE(ask(rates, "a"));
}

TEST_F(RatesTest, CountsIpv6AddressesByTheirNetwork) {
  Rates rates({{.per = Per::address, .calls = 1}}, 100);
  const auto from = [&](std::string_view address) {
    Rates::Permit permit;
    return static_cast<bool>(rates.admit({caller, address}, now, permit, quota));
  };
  EXPECT_TRUE(from("2001:db8:0:1::1"));
  EXPECT_FALSE(from("2001:db8:0:1:ffff::2")) << "of the same /64";
  EXPECT_TRUE(from("2001:db8:0:2::1"));
  EXPECT_TRUE(from("192.0.2.1"));
  EXPECT_TRUE(from("192.0.2.2"));
}

TEST_F(RatesTest, StandsTheLargestNumbers) {
  Rates rates({{.per = Per::principal,
                .calls = 1,
                .window = config::Duration(86'400'000),
                .burst = 1'000'000'000},
               {.per = Per::everyone, .calls = 1'000'000'000, .window = config::Duration(100)}},
              100);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(ask(rates, "a"));
    EXPECT_GE(quota->remaining, 0);
    EXPECT_GE(quota->reset.count(), 0);
  }
}

}  // namespace
}  // namespace patchbay::policy
