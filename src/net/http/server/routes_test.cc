#include "net/http/server/routes.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

std::string_view found(std::string_view path) {
  const HttpRoutes routes({{"/*", "r", nullptr},
                           {"/api/*", "api", nullptr},
                           {"/api/agent/execute", "goal", nullptr},
                           {"/api/agent/*", "agent", nullptr},
                           {"/mcp", "mcp", nullptr},
                           {"/mcp/v1/*", "v1", nullptr}});
  const HttpRoute* const route = routes.find(path);
  return route ? route->methods : "";
}

TEST(HttpRoutes, AnExactPathWins) {
  EXPECT_EQ(found("/mcp"), "mcp");
  EXPECT_EQ(found("/api/agent/execute"), "goal");
}

TEST(HttpRoutes, TheLongestPrefixWins) {
  EXPECT_EQ(found("/api/agent/execute/"), "agent");
  EXPECT_EQ(found("/api/agent"), "api");
  EXPECT_EQ(found("/api/"), "api");
  EXPECT_EQ(found("/mcp/v1/tools/x"), "v1");
}

TEST(HttpRoutes, ANameIsNotAPrefixOfALongerName) {
  EXPECT_EQ(found("/api"), "r");
  EXPECT_EQ(found("/apis"), "r");
  EXPECT_EQ(found("/mcp/v1"), "r");
}

TEST(HttpRoutes, WhatIsEncodedMakesNoOtherRoute) {
  EXPECT_EQ(found("/%6Dcp"), "r");
  EXPECT_EQ(found("/api%2Fagent"), "r");
}

TEST(HttpRoutes, NobodyMayBeThere) {
  const HttpRoutes routes({{"/mcp", "mcp", nullptr}});
  EXPECT_EQ(routes.find("/"), nullptr);
  EXPECT_EQ(routes.find("/mcp/"), nullptr);
}

}  // namespace
}  // namespace patchbay::net
