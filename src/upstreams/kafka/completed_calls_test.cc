#include "upstreams/kafka/completed_calls.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

TEST(CompletedCalls, KnowsTheLatest) {
  CompletedCalls calls(3);
  EXPECT_EQ(calls.answered("a"), std::nullopt);
  calls.add("a", true);
  calls.add("b", false);
  calls.add("c", true);
  EXPECT_EQ(calls.answered("a"), true);
  EXPECT_EQ(calls.answered("b"), false);
  calls.add("d", false);
  EXPECT_EQ(calls.answered("a"), std::nullopt);
  EXPECT_EQ(calls.answered("b"), false);
  for (const char* const id : {"e", "f", "g"}) calls.add(id, true);
  EXPECT_EQ(calls.answered("d"), std::nullopt);
  EXPECT_EQ(calls.answered("g"), true);
}

TEST(CompletedCalls, MayHaveNoRoom) {
  CompletedCalls calls(0);
  calls.add("a", true);
  EXPECT_EQ(calls.answered("a"), std::nullopt);
}

}  // namespace
}  // namespace patchbay::upstreams
