#include "frontends/auth/challenge.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

policy::AuthSettings with_issuer() {
  policy::AuthSettings settings;
  settings.resource = "https://gateway.example/base/mcp";
  settings.scopes = {"a", "b"};
  settings.jwt.emplace_back().issuer = "https://issuer.example";
  return settings;
}

const Error kUnknown{Code::unauthenticated, "say \"who\"\r\nX: y"};

TEST(Challenge, LeadsToTheMetadata) {
  const auto made = refusal(with_issuer(), "/mcp", {Code::unauthenticated, "who?"}, false);
  EXPECT_EQ(made.status, 401);
  EXPECT_EQ(made.fields,
            "WWW-Authenticate: Bearer realm=\"patchbay\", "
            "resource_metadata=\"https://gateway.example/.well-known/oauth-protected-resource/base/"
            "mcp\", scope=\"a b\"\r\n");
  EXPECT_TRUE(made.body.starts_with(R"({"jsonrpc":"2.0",)")) << made.body;
}

TEST(Challenge, NothingInItCanEndTheLine) {
  const auto made = refusal(with_issuer(), "/mcp", kUnknown, true);
  EXPECT_NE(made.fields.find(R"(error_description="say \"who\"??X: y")"), std::string::npos);
  EXPECT_EQ(made.fields.find("\r\n"), made.fields.size() - 2);
}

TEST(Challenge, DescribesInAscii) {
  const auto made =
      refusal(with_issuer(), "/mcp", {Code::unauthenticated, "caf\xC3\xA9\x7F"}, true);
  EXPECT_NE(made.fields.find(R"(error_description="caf???")"), std::string::npos) << made.fields;
}

TEST(Challenge, HasTheFormOfTheFrontend) {
  const auto body = [](std::string_view path) {
    return refusal({}, path, {Code::unauthenticated, "who?"}, false).body;
  };
  for (const auto* const path : {"/mcp", "/sse", "/message", "/mcp/message"}) {
    EXPECT_NE(body(path).find("-32005"), std::string::npos) << path;
  }
  EXPECT_EQ(body("/api/some.tool"), R"({"error":"Unauthorized","message":"who?"})");
  EXPECT_EQ(body("/api/agent/execute"), "{\"error\":\"who?\"}\n");
  EXPECT_EQ(body("/nothing"), "{\"error\":\"who?\"}\n");
  EXPECT_TRUE(body("/mcp/v1/tools").starts_with(R"({"error":{"code":)"));
}

TEST(Challenge, NamesTheAcceptedMethods) {
  policy::AuthSettings settings;
  settings.basic.emplace();
  EXPECT_EQ(refusal(settings, "/mcp", kUnknown, false).fields,
            "WWW-Authenticate: Basic realm=\"patchbay\", charset=\"UTF-8\"\r\n");
  settings.tokens.emplace_back();
  EXPECT_EQ(refusal(settings, "/mcp", kUnknown, false).fields,
            "WWW-Authenticate: Bearer realm=\"patchbay\", Basic realm=\"patchbay\", "
            "charset=\"UTF-8\"\r\n");
  const auto lacking = refusal(with_issuer(), "/mcp", {Code::forbidden, "lacks"}, true);
  EXPECT_EQ(lacking.status, 403);
  EXPECT_NE(lacking.fields.find("insufficient_scope"), std::string::npos);
}

TEST(Challenge, SendsRetryAfter) {
  const auto made = refusal_until("/mcp", std::chrono::milliseconds(1500));
  EXPECT_EQ(made.status, 429);
  EXPECT_EQ(made.fields, "Retry-After: 2\r\n");
  EXPECT_NE(made.body.find("rate_limited"), std::string::npos) << made.body;
}

TEST(Challenge, MetadataNeedAnAuthorizationServer) {
  EXPECT_EQ(resource_metadata({}), "");
  EXPECT_EQ(resource_metadata(with_issuer()),
            R"({"resource":"https://gateway.example/base/mcp",)"
            R"("authorization_servers":["https://issuer.example"],)"
            R"("scopes_supported":["a","b"],"bearer_methods_supported":["header"],)"
            R"("resource_name":"Patchbay"})");
  EXPECT_EQ(resource_path(with_issuer()), "/base/mcp");
}

}  // namespace
}  // namespace patchbay::frontends
