#include "trace/call_histories.h"

#include <gtest/gtest.h>

namespace patchbay::trace {
namespace {

// A call that ended at that time.
CallRecord ended_at(std::int64_t when, std::string_view target = "tool") {
  CallRecord made;
  made.began_unix_ns = when - 1;
  made.took_ns = 1;
  made.target = target;
  return made;
}

bool every(const CallRecord&) { return true; }

std::vector<std::int64_t> ends(const CallHistories::Found& found) {
  std::vector<std::int64_t> all;
  for (const auto& one : found.calls) all.push_back(end_of(one.record()));
  return all;
}

class TwoWorkers : public testing::Test {
 protected:
  TwoWorkers() { histories.resize(20'000); }
  CallHistories histories;
  CallHistory& a = histories.add();
  CallHistory& b = histories.add();
};

TEST_F(TwoWorkers, AreReadAsOneListTheNewestFirst) {
  for (const int when : {1, 4, 5}) a.put(ended_at(when));
  for (const int when : {2, 3, 6}) b.put(ended_at(when));
  auto found = histories.before(histories.end(), 4, every);
  EXPECT_EQ(ends(found), (std::vector<std::int64_t>{6, 5, 4, 3}));
  EXPECT_TRUE(found.more);
  found = histories.before(found.next, 4, every);
  EXPECT_EQ(ends(found), (std::vector<std::int64_t>{2, 1}));
  EXPECT_FALSE(found.more);
}

TEST_F(TwoWorkers, AreFollowedTheOldestFirst) {
  auto at = histories.end();
  a.put(ended_at(2));
  b.put(ended_at(1));
  a.put(ended_at(3));
  const auto found = histories.since(at, 2, every);
  EXPECT_EQ(ends(found), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(found.missed, 1U);
  EXPECT_TRUE(histories.since(found.next, 9, every).calls.empty());
}

TEST_F(TwoWorkers, PagesThatEndEarlyLoseNothingAndKeepTheOrder) {
  for (int i = 0; i < 9'000; ++i) a.put(ended_at(2 * i, i % 3'000 == 0 ? "rare" : "tool"));
  for (int i = 0; i < 3'000; ++i) b.put(ended_at(2 * i + 1, i % 1'000 == 0 ? "rare" : "tool"));
  const auto rare = [](const CallRecord& one) { return one.target == "rare"; };
  std::vector<std::int64_t> all;
  auto at = histories.end();
  for (int pages = 0; pages < 10; ++pages) {
    const auto found = histories.before(at, 2, rare);
    for (const auto when : ends(found)) all.push_back(when);
    at = found.next;
    if (!found.more) break;
  }
  EXPECT_EQ(all, (std::vector<std::int64_t>{12'000, 6'000, 4'001, 2'001, 1, 0}));
}

TEST_F(TwoWorkers, PositionsAreTextOfThisProcess) {
  a.put(ended_at(1));
  const auto text = histories.to_text(histories.end());
  const auto parsed = histories.parse(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, histories.end());
  CallHistories others;
  others.add();
  others.add();
  for (const auto& wrong : {others.to_text(others.end()), text + ".1", text + "x", std::string()}) {
    EXPECT_FALSE(histories.parse(wrong)) << wrong;
  }
}

TEST(CallHistories, CountWhatWasLostBeforeItWasRead) {
  CallHistories histories;
  CallHistory& small = histories.add();
  histories.resize(2);
  const auto at = histories.end();
  for (const int when : {1, 2, 3, 4, 5}) small.put(ended_at(when));
  const auto found = histories.since(at, 9, every);
  EXPECT_EQ(ends(found), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(found.missed, 3U);
}

}  // namespace
}  // namespace patchbay::trace
