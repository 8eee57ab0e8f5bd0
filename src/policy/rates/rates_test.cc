#include "policy/rates/rates.h"

#include <gtest/gtest.h>

#include <map>

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

// Gateways that count together. The store is a map; what each reports arrives when the test
// decides.
struct SharedRatesTest : RatesTest {
  std::unique_ptr<Rates> gateway(int calls, int burst = 0) {
    const RateSettings row{.per = Per::principal, .calls = calls, .burst = burst};
    auto rates = std::make_unique<Rates>(std::vector{row}, 100);
    rates->share([this] { ++hurried; });
    return rates;
  }

  std::vector<Rates::Unreported> send(Rates& rates) {
    auto reported = rates.take_unreported(100);
    for (const auto& one : reported) {
      Deadline& point = points[one.shared_key];
      point = std::max(point, now) + one.by;
    }
    return reported;
  }
  void receive(Rates& rates, const std::vector<Rates::Unreported>& reported) {
    for (const auto& one : reported) {
      const auto ahead = points[one.shared_key] - now;
      rates.use_reported(one, std::chrono::round<std::chrono::microseconds>(ahead), now);
    }
  }
  void exchange(Rates& rates) { receive(rates, send(rates)); }

  std::map<std::string, Deadline> points;
  int hurried = 0;
};

TEST_F(SharedRatesTest, CountsWhatOthersHaveAdmitted) {
  const auto one = gateway(4);
  const auto other = gateway(4);
  for (int i = 0; i < 2; ++i) {
    for (auto* const rates : {one.get(), other.get()}) {
      EXPECT_TRUE(ask(*rates, "a"));
      exchange(*rates);
    }
  }
  EXPECT_FALSE(ask(*other, "a"));
  EXPECT_EQ(quota->remaining, 0);
  EXPECT_TRUE(ask(*other, "b"));
  now += seconds(15);
  EXPECT_TRUE(ask(*other, "a"));
  EXPECT_FALSE(ask(*other, "a"));
}

TEST_F(SharedRatesTest, RefusesNothingBeforeTheBoundIsReached) {
  const auto one = gateway(100);
  const auto other = gateway(100);
  for (int i = 0; i < 100; ++i) {
    Rates& rates = i % 3 == 0 ? *one : *other;
    EXPECT_TRUE(ask(rates, "a")) << i;
    if (i % 7 == 0) exchange(rates);
  }
}

TEST_F(SharedRatesTest, AdmitsLittleMoreThanTheBoundIfExchangesAreHurried) {
  constexpr int kLimit = 640;
  constexpr int kGateways = 3;
  std::vector<std::unique_ptr<Rates>> all;
  for (int i = 0; i < kGateways; ++i) all.push_back(gateway(kLimit));
  int admitted = 0;
  for (int i = 0; i < 5 * kLimit; ++i) {
    const int before = hurried;
    Rates& rates = *all[static_cast<std::size_t>(i % kGateways)];
    admitted += ask(rates, "a") ? 1 : 0;
    if (hurried > before) exchange(rates);
  }
  EXPECT_GE(admitted, kLimit);
  EXPECT_LE(admitted, kLimit + kGateways * (kLimit / 64 + 1));
  // What was too much is missing from what follows.
  now += seconds(60);
  for (const auto& rates : all) exchange(*rates);
  int after = 0;
  for (int i = 0; i < 5 * kLimit; ++i) {
    const int before = hurried;
    Rates& rates = *all[static_cast<std::size_t>(i % kGateways)];
    after += ask(rates, "a") ? 1 : 0;
    if (hurried > before) exchange(rates);
  }
  EXPECT_LE(admitted + after, 2 * kLimit + kGateways * (kLimit / 64 + 1));
}

TEST_F(SharedRatesTest, CallsMadeMeanwhileAreReportedNext) {
  const auto one = gateway(10);
  const auto other = gateway(10);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(*one, "a"));
  const auto reported = send(*one);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ask(*one, "a"));
  EXPECT_TRUE(one->take_unreported(100).empty()) << "one exchange of a subject at a time";
  receive(*one, reported);
  EXPECT_TRUE(ask(*one, "a"));
  EXPECT_EQ(quota->remaining, 2);
  exchange(*one);
  EXPECT_TRUE(ask(*other, "a"));
  exchange(*other);
  EXPECT_TRUE(ask(*other, "a"));
  EXPECT_FALSE(ask(*other, "a"));
}

TEST_F(SharedRatesTest, GoesOnAloneWhileTheStoreFails) {
  const auto one = gateway(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(ask(*one, "a"));
    for (const auto& reported : one->take_unreported(100)) {
      one->use_reported(reported, Error{Code::unavailable, "down"}, now);
    }
  }
  EXPECT_FALSE(ask(*one, "a"));
  now += seconds(20);
  EXPECT_TRUE(ask(*one, "a"));
}

TEST_F(SharedRatesTest, TakesABoundedNumberAtOnce) {
  const auto one = gateway(3);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(ask(*one, std::to_string(i)));
  EXPECT_EQ(one->take_unreported(30).size(), 30U);
  EXPECT_EQ(one->take_unreported(30).size(), 20U);
  EXPECT_EQ(one->take_unreported(30).size(), 0U);
}

}  // namespace
}  // namespace patchbay::policy
