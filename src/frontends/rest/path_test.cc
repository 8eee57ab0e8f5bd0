#include "frontends/rest/path.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

using Kind = RestPath::Kind;

std::optional<RestPath> at(std::string_view path, std::string_view method = "GET",
                           std::string_view topology = "") {
  auto found = find_target(path, method, topology);
  EXPECT_TRUE(found) << path;
  return found ? *found : std::nullopt;
}

TEST(RestPath, ThePathsOfMcp) {
  EXPECT_EQ(at("/mcp/v1/tools")->kind, Kind::tools);
  EXPECT_EQ(at("/mcp/v1/resources")->kind, Kind::resources);
  EXPECT_EQ(at("/mcp/v1/health")->kind, Kind::health);
  EXPECT_EQ(at("/mcp/v1/tools/calculator.add")->name, "calculator.add");
  EXPECT_EQ(at("/mcp/v1/resources/test://a/b")->name, "test://a/b");
  EXPECT_EQ(at("/mcp/v1/tools/x")->dialect, Dialect::mcp);
}

TEST(RestPath, PlainOnes) {
  EXPECT_EQ(at("/api/agent", "POST")->name, "agent");
  EXPECT_EQ(at("/api/a%2Fb", "POST")->name, "a/b");
  EXPECT_EQ(at("/rcs/test%3A%2F%2Fa")->name, "test://a");
  EXPECT_EQ(at("/rcs/client/7")->name, "client/7");
  EXPECT_EQ(at("/agents/x", "POST")->kind, Kind::tool);
  EXPECT_EQ(at("/agents/x/y", "HEAD")->kind, Kind::resource);
  EXPECT_EQ(at("/api/x", "POST")->dialect, Dialect::plain);
  EXPECT_EQ(at("/agents")->kind, Kind::agents);
  EXPECT_EQ(at("/agents/")->kind, Kind::agents);
}

TEST(RestPath, AnswersStandBelowTheirTool) {
  const auto target = at("/gateway/prod/mcp/v1/tools/a.b/answers/patchbay.x-_", "POST", "prod");
  EXPECT_EQ(target->kind, Kind::answer);
  EXPECT_EQ(target->name, "a.b");
  EXPECT_EQ(target->state, "patchbay.x-_");
  EXPECT_EQ(target->path, "/gateway/prod/mcp/v1/tools/a.b");
}

TEST(RestPath, ATopologyMustBeTheOne) {
  EXPECT_EQ(at("/gateway/prod/mcp/v1/tools", "GET", "prod")->kind, Kind::tools);
  EXPECT_FALSE(at("/gateway/prod/mcp/v1/tools"));
  EXPECT_FALSE(at("/gateway/other/mcp/v1/tools", "GET", "prod"));
  EXPECT_FALSE(at("/gateway/prod/api/x", "POST", "prod"));
  EXPECT_FALSE(at("/gateway/mcp/v1/tools", "GET", "mcp"));
}

TEST(RestPath, NothingThere) {
  for (const auto* const path :
       {"/mcp/v1/", "/mcp/v1/tool", "/mcp/v1/tools/", "/mcp/v1/tools/a/b", "/mcp/v1/health/x",
        "/api/", "/api/a/b", "/api/a/answers/", "/api/a/answers/s/t", "/rcs/", "/agentsx",
        "/mcp%2Fv1/tools", "/api/../metrics"}) {
    EXPECT_FALSE(at(path, "POST")) << path;
  }
}

TEST(RestPath, RefusesAmbiguousPaths) {
  for (const auto* const path :
       {"/api/a%0d%0aX:y", "/api/a%", "/api/%ff", "/rcs/a/../b", "/rcs/..", "/rcs/%2e%2e%2fetc",
        "/rcs/a/%2E", "/mcp/v1/resources/a%2F..%2Fb", "/mcp/v1/tools/a%00", "/agents/a/./b",
        "/mcp/v1/tools/a/answers/%zz"}) {
    EXPECT_FALSE(find_target(path, "GET", "")) << path;
  }
  // What was encoded twice is a name like any other.
  EXPECT_EQ(at("/rcs/%252e%252e/x")->name, "%2e%2e/x");
}

}  // namespace
}  // namespace patchbay::frontends
