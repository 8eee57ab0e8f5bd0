// Which sessions get connections of their own.
#include "upstreams/mcp/asking_sessions.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

TEST(AskingSessions, OnlyCallsBesideThoseOfOthersAreApart) {
  AskingSessions sessions;
  EXPECT_FALSE(sessions.wants_own("", "a", true, false));
  EXPECT_FALSE(sessions.wants_own("", "a", true, true));   // Its own calls are in nobody's way.
  EXPECT_FALSE(sessions.wants_own("", "b", true, false));  // Nothing runs.
  EXPECT_TRUE(sessions.wants_own("", "a", true, true));
  EXPECT_FALSE(sessions.wants_own("principal x", "c", true, true));  // Another connection.
}

TEST(AskingSessions, ClientsThatCannotBeAskedShareUntilTheServerAsks) {
  AskingSessions sessions;
  EXPECT_FALSE(sessions.wants_own("", "a", false, false));
  EXPECT_FALSE(sessions.wants_own("", "b", false, true));
  EXPECT_TRUE(sessions.wants_own("", "d", true, true));  // Both a and b have calls running.
  sessions.on_asked();
  EXPECT_TRUE(sessions.wants_own("", "c", false, true));
}

TEST(AskingSessions, NobodyJoinsACallWhoseClientCanBeAsked) {
  AskingSessions sessions;
  EXPECT_FALSE(sessions.wants_own("", "a", true, false));
  EXPECT_TRUE(sessions.wants_own("", "b", false, true));
  EXPECT_FALSE(sessions.wants_own("", "a", true, true));  // It is still alone.
  EXPECT_FALSE(sessions.wants_own("", "b", false, false));
}

TEST(AskingSessions, ACallWithoutASessionIsAloneOnceTheServerAsks) {
  AskingSessions sessions;
  EXPECT_FALSE(sessions.wants_own_call("", true, false));
  EXPECT_FALSE(sessions.wants_own_call("", true, true));
  EXPECT_TRUE(sessions.wants_own("", "a", true, true));  // A session beside such a call.
  sessions.on_asked();
  EXPECT_TRUE(sessions.wants_own_call("", false, true));
  EXPECT_FALSE(sessions.wants_own_call("", true, false));  // Nothing runs.
}

TEST(AskingSessions, AServerThatHasNotAskedForLongIsShared) {
  AskingSessions sessions;
  for (int i = 0; i < AskingSessions::kTrialCalls; ++i) {
    EXPECT_FALSE(sessions.wants_own("", "a", true, false));
  }
  EXPECT_FALSE(sessions.wants_own("", "b", true, true));
  sessions.on_asked();
  EXPECT_TRUE(sessions.wants_own("", "b", true, true));
}

}  // namespace
}  // namespace patchbay::upstreams
