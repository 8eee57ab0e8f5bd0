#include "observe/top_names.h"

#include <gtest/gtest.h>

#include <map>

#include "observe/space_saving.h"

namespace patchbay::metrics {
namespace {

class TopNamesTest : public ::testing::Test {
 protected:
  // The next ranking, after these reports. The names that lose their slots, in one text.
  std::string rank(std::vector<TopNames::Report> reports) {
    names_.add(reports);
    now_ += TopNames::kInterval;
    std::string lost;
    for (const auto& name : names_.rank(now_)) lost += name + " ";
    return lost;
  }

  TopNames names_;
  Deadline now_ = Deadline(std::chrono::hours(1));
};

TEST_F(TopNamesTest, TheFirstNamesGetSlots) {
  names_.set_most(2);
  const auto a = names_.slot_of("a");
  const auto b = names_.slot_of("b");
  EXPECT_NE(a, 0U);
  EXPECT_NE(b, 0U);
  EXPECT_NE(a, b);
  EXPECT_EQ(names_.slot_of("c"), 0U);
  EXPECT_EQ(names_.slot_of("a"), a);
  EXPECT_EQ(names_.find("b"), b);
  EXPECT_EQ(names_.find("c"), 0U);
}

TEST_F(TopNamesTest, ABusierNameTakesTheSlotOfTheLeastBusyOne) {
  names_.set_most(2);
  const auto a = names_.slot_of("a");
  names_.slot_of("b");
  const auto version = names_.version();
  EXPECT_EQ(rank({{"a", 100}, {"b", 20}, {"c", 30}}), "") << "not twice as busy";
  EXPECT_EQ(names_.version(), version);
  EXPECT_EQ(rank({{"a", 100}, {"b", 20}, {"c", 100}}), "b ");
  EXPECT_NE(names_.version(), version);
  EXPECT_NE(names_.find("c"), 0U);
  EXPECT_EQ(names_.find("b"), 0U);
  EXPECT_EQ(names_.slot_of("a"), a);
  EXPECT_EQ(rank({{"b", 1000}}), "c ");
}

TEST_F(TopNamesTest, OnceIsNotBusy) {
  names_.set_most(1);
  names_.slot_of("a");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rank({{"x" + std::to_string(i), 7}}), "");
}

TEST_F(TopNamesTest, ANameThatIsNoLongerUsedLosesItsSlot) {
  names_.set_most(1);
  names_.slot_of("a");
  EXPECT_EQ(rank({{"a", 100'000}}), "");
  int rankings = 1;
  while (rank({{"b", 10}}).empty()) ++rankings;
  EXPECT_GT(rankings, 60);
  EXPECT_LT(rankings, 600);
}

TEST_F(TopNamesTest, OnlyAShareChangesInOneRanking) {
  names_.set_most(16);
  std::vector<TopNames::Report> busy;
  for (int i = 0; i < 16; ++i) {
    names_.slot_of("a" + std::to_string(i));
    busy.push_back({"b" + std::to_string(i), 1000});
  }
  std::size_t lost = 0;
  names_.add(busy);
  lost = names_.rank(now_).size();
  EXPECT_EQ(lost, 2U);
  EXPECT_EQ(names_.rank(now_).size(), 0U) << "the next one is not due";
}

TEST_F(TopNamesTest, ALowerBoundTakesSlotsAndAHigherOneGivesThem) {
  names_.set_most(3);
  for (const char* const name : {"a", "b", "c"}) names_.slot_of(name);
  EXPECT_EQ(rank({{"a", 10}, {"b", 30}, {"c", 20}}), "");
  names_.set_most(1);
  EXPECT_EQ(rank({}), "a c ");
  EXPECT_EQ(names_.slot_of("a"), 0U);
  names_.set_most(2);
  EXPECT_NE(names_.slot_of("a"), 0U);
  names_.set_most(0);
  EXPECT_EQ(rank({{"a", 1000}}), "b a ");
  EXPECT_EQ(names_.slot_of("b"), 0U);
}

std::map<std::string, std::uint64_t> counts(const SpaceSaving& sketch) {
  std::map<std::string, std::uint64_t> all;
  sketch.for_each([&](const std::string& name, std::uint64_t count) { all[name] = count; });
  return all;
}

TEST(SpaceSaving, CountsExactlyWhileThereAreSlots) {
  SpaceSaving sketch;
  for (int i = 0; i < 3; ++i) sketch.add("a");
  sketch.add("b");
  EXPECT_EQ(counts(sketch), (std::map<std::string, std::uint64_t>{{"a", 3}, {"b", 1}}));
  sketch.clear();
  EXPECT_TRUE(counts(sketch).empty());
}

TEST(SpaceSaving, FindsTheFrequentNamesAmongMany) {
  SpaceSaving sketch;
  for (int i = 0; i < 50'000; ++i) {
    sketch.add("rare " + std::to_string(i));
    if (i % 10 == 0) sketch.add("frequent");
  }
  const auto all = counts(sketch);
  EXPECT_EQ(all.size(), SpaceSaving::kSlots);
  ASSERT_TRUE(all.contains("frequent"));
  EXPECT_GT(all.at("frequent"), 4'000U);
  EXPECT_LE(all.at("frequent"), 5'000U) << "never more than it was added";
  for (const auto& [name, count] : all) {
    if (name != "frequent") EXPECT_LE(count, 1U) << name;
  }
}

}  // namespace
}  // namespace patchbay::metrics
