#include "router/session.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

constexpr std::string_view kParams = R"({"protocolVersion":"2025-11-25","capabilities":{}})";
constexpr std::string_view kResult =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{}}})";

using Repeated = std::vector<std::pair<std::string, std::string>>;

TEST(RouterSession, HasNothingToRepeatForAClientWithoutASession) {
  RouterSession session;
  session.note("tools/call", R"({"name":"x"})", "{}");
  EXPECT_FALSE(session.begun());
  EXPECT_TRUE(session.repeated(true).empty());
}

TEST(RouterSession, RemembersTheClientsCapabilities) {
  RouterSession session;
  session.note("initialize", kParams, kResult);
  session.note_initialized();
  EXPECT_TRUE(session.begun());
  EXPECT_TRUE(session.initialized());
  EXPECT_EQ(session.initialize(), kParams);
  session.note("logging/setLevel", R"({"level":"info"})", "{}");
  session.note("logging/setLevel", R"({"level":"error"})", "{}");
  session.note("resources/subscribe", R"({"uri":"file:///a"})", "{}");
  session.note("resources/subscribe", R"({"uri":"file:///b"})", "{}");
  session.note("resources/unsubscribe", R"({"uri":"file:///a"})", "{}");
  const Repeated level{{"logging/setLevel", R"({"level":"error"})"}};
  EXPECT_EQ(session.repeated(false), level);
  const Repeated all{{"logging/setLevel", R"({"level":"error"})"},
                     {"resources/subscribe", R"({"uri":"file:///b"})"}};
  EXPECT_EQ(session.repeated(true), all);
}

TEST(RouterSession, BeginsAnewWithAnotherHandshake) {
  RouterSession session;
  session.note("initialize", kParams, kResult);
  session.note_initialized();
  session.note("resources/subscribe", R"({"uri":"file:///a"})", "{}");
  session.note("initialize", kParams, kResult);
  EXPECT_FALSE(session.initialized());
  EXPECT_TRUE(session.repeated(true).empty());
}

TEST(RouterSession, DeclaresListChanges) {
  RouterSession session;
  EXPECT_TRUE(session.list_changes().empty());
  session.note("initialize", kParams, kResult);
  EXPECT_EQ(session.list_changes(), std::vector<std::string>{"notifications/tools/list_changed"});
}

TEST(RouterSession, NoticesAnotherRevision) {
  RouterSession session;
  session.note("initialize", kParams, kResult);
  EXPECT_TRUE(session.same_revision(kResult));
  EXPECT_FALSE(session.same_revision(R"({"protocolVersion":"2025-06-18"})"));
}

TEST(RouterSession, KnowsIdempotentRequests) {
  for (const auto* const method : {"tools/list", "ping", "prompts/get", "resources/read",
                                   "server/discover", "initialize", "resources/subscribe"}) {
    EXPECT_TRUE(may_be_repeated(method)) << method;
  }
  for (const auto* const method : {"tools/call", "tasks/cancel", "subscriptions/listen", "x"}) {
    EXPECT_FALSE(may_be_repeated(method)) << method;
  }
}

}  // namespace
}  // namespace patchbay::app
