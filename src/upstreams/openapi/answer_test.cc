#include "upstreams/openapi/answer.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

std::string result(int status, const std::string& media, const std::string& body) {
  return tool_reply({status, media, body, "openapi://up/x"}).body;
}

TEST(OpenapiAnswer, ReturnsJsonAsTextAndAsStructure) {
  EXPECT_EQ(result(200, "application/json; charset=utf-8", "{\"a\":\n1}\n"),
            R"({"content":[{"type":"text","text":"{\"a\":\n1}\n"}],"structuredContent":{"a": 1}})");
  EXPECT_EQ(result(200, "application/hal+json", "[1]"),
            R"({"content":[{"type":"text","text":"[1]"}],"structuredContent":[1]})");
  EXPECT_TRUE(tool_reply({200, "application/json", "[1]", ""}).is_loose);
  EXPECT_FALSE(tool_reply({200, "application/json", "{}", ""}).is_loose);
}

TEST(OpenapiAnswer, ReturnsTextWhereJsonIsBroken) {
  EXPECT_EQ(result(200, "application/json", "{\"a\":"),
            R"({"content":[{"type":"text","text":"{\"a\":"}]})");
  EXPECT_EQ(result(200, "text/plain", "{}"), R"({"content":[{"type":"text","text":"{}"}]})");
  // JSON that a Cursor accepts alone may be too deep within a result.
  const std::string deep = std::string(63, '[') + std::string(63, ']');
  EXPECT_TRUE(json::check(result(200, "application/json", deep)));
  EXPECT_FALSE(json::member(result(200, "application/json", deep), "structuredContent"));
}

TEST(OpenapiAnswer, ReportsErrors) {
  EXPECT_EQ(
      result(404, "application/json", "{\"why\":\"gone\"}"),
      R"({"content":[{"type":"text","text":"HTTP 404: {\"why\":\"gone\"}"}],"isError":true})");
  EXPECT_EQ(result(500, "", ""),
            R"({"content":[{"type":"text","text":"HTTP 500"}],"isError":true})");
  EXPECT_NE(result(302, "", "").find("redirects are not followed"), std::string::npos);
  EXPECT_NE(result(500, "image/png", "\xFF").find("1 bytes of image/png"), std::string::npos);
}

TEST(OpenapiAnswer, ReturnsBytesByTheirType) {
  EXPECT_EQ(result(200, "image/png", "\xFF"),
            R"({"content":[{"type":"image","data":"/w==","mimeType":"image/png"}]})");
  EXPECT_EQ(result(200, "application/pdf", "\xFF"),
            R"({"content":[{"type":"resource","resource":{"uri":"openapi://up/x",)"
            R"("mimeType":"application/pdf","blob":"/w=="}}]})");
  // Invalid text is bytes.
  EXPECT_NE(result(200, "text/plain", "\xFF").find("\"blob\":\"/w==\""), std::string::npos);
  EXPECT_EQ(result(204, "", ""),
            R"({"content":[{"type":"text","text":"HTTP 204, without content"}]})");
}

TEST(OpenapiAnswer, ReturnsContentsOfResources) {
  auto read = read_reply({200, "text/csv", "a,b", "openapi://up/x"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->body,
            R"({"contents":[{"uri":"openapi://up/x","mimeType":"text/csv","text":"a,b"}]})");
  EXPECT_EQ(read_reply({404, "", "", ""}).error().code, Code::resource_not_found);
  EXPECT_EQ(read_reply({503, "", "busy", ""}).error().message, "HTTP 503: busy");
}

}  // namespace
}  // namespace patchbay::upstreams
