#include "net/http/syntax/cors.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

TEST(Cors, AnswersOnlyThoseOnTheList) {
  const CorsSettings cors{{"https://app.example"}, {}, std::chrono::seconds(5), true};
  EXPECT_TRUE(cors_allows(cors, "https://app.example"));
  EXPECT_TRUE(cors_allows(cors, "HTTPS://APP.example"));
  for (const auto* const origin : {"", "null", "http://app.example", "https://app.example.evil",
                                   "https://app.example:444", "*"}) {
    EXPECT_FALSE(cors_allows(cors, origin)) << origin;
    EXPECT_EQ(cors_fields(cors, origin), "") << origin;
  }
  const auto fields = cors_fields(cors, "https://app.example");
  EXPECT_TRUE(fields.starts_with("Access-Control-Allow-Origin: https://app.example\r\n"));
  EXPECT_NE(fields.find("Access-Control-Allow-Credentials: true\r\n"), std::string::npos);
  EXPECT_TRUE(cors_allows({{"*"}, {}, {}, false}, "https://any.example"));
}

TEST(Cors, AllowsTheHeadersOfToolsAndNoOthers) {
  HttpRequest request;
  request.method = "OPTIONS";
  EXPECT_FALSE(is_preflight(request));
  request.fields.add({"Origin", "https://app.example"});
  request.fields.add({"Access-Control-Request-Method", "POST"});
  request.fields.add({"Access-Control-Request-Headers", "x-evil, MCP-Param-City ,mcp-param-a b,,"});
  EXPECT_TRUE(is_preflight(request));
  const CorsSettings cors{{"*"}, {"X-Trace"}, std::chrono::seconds(5), false};
  const auto fields = preflight_fields(cors, request, "POST, GET");
  EXPECT_NE(fields.find("Access-Control-Allow-Methods: POST, GET\r\n"), std::string::npos);
  EXPECT_NE(fields.find(", X-Trace, MCP-Param-City\r\n"), std::string::npos) << fields;
  EXPECT_EQ(fields.find("evil"), std::string::npos);
  EXPECT_NE(fields.find("Access-Control-Max-Age: 5\r\n"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::net
