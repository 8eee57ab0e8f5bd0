#include "frontends/rest/content.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

struct Asked {
  net::HttpRequest request;
  explicit Asked(std::initializer_list<net::HttpField> fields, std::string_view method = "GET") {
    request.method = method;
    for (const auto& field : fields) request.fields.add(field);
  }
  RestAnswer operator()(std::string contents, std::string more = "",
                        bool same_for_all = true) const {
    const auto reply = mcp::result_reply("{" + more + "\"contents\":[" + contents + "]}");
    return content_answer(request, reply, same_for_all);
  }
};

constexpr auto kHello = R"({"uri":"t://a","mimeType":"text/plain","text":"hello"})";
constexpr auto kBytes = R"({"uri":"t://b","mimeType":"image/png","blob":"AAEC"})";
constexpr auto kNull = R"({"uri":"t://n","mimeType":"text/html","text":null})";
constexpr auto kJsonText = R"({"uri":"t://j","mimeType":"application/json","text":"[1]"})";

TEST(RestContent, TextIsTextAndBytesAreBytes) {
  const Asked ask({});
  EXPECT_EQ(ask(kHello).body, "hello");
  EXPECT_EQ(ask(kHello).type, "text/plain; charset=utf-8");
  EXPECT_EQ(ask(kBytes).body, std::string("\0\1\2", 3));
  EXPECT_EQ(ask(kBytes).type, "image/png");
}

TEST(RestContent, NullHasNoBody) {
  const auto answer = Asked({})(kNull);
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.type, "text/html; charset=utf-8");
}

TEST(RestContent, AcceptingJsonGetsTheWholeForm) {
  const Asked ask({{"Accept", "application/json"}});
  EXPECT_EQ(ask(kHello).body,
            R"({"type":"text","uri":"t://a","mimeType":"text/plain","text":"hello"})");
  EXPECT_EQ(ask(kBytes).body,
            R"({"type":"blob","uri":"t://b","mimeType":"image/png","blob":"AAEC"})");
  EXPECT_EQ(ask(kNull).body, R"({"type":"text","uri":"t://n","mimeType":"text/html","text":null})");
  EXPECT_EQ(ask(kJsonText).body,
            R"({"type":"text","uri":"t://j","mimeType":"application/json","text":"[1]"})");
  EXPECT_EQ(Asked({{"Accept", "*/*"}})(kJsonText).body, "[1]");
}

TEST(RestContent, ManyPartsAreAList) {
  const auto answer = Asked({})(std::string(kHello) + "," + kBytes);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_TRUE(answer.body.starts_with(R"([{"type":"text")")) << answer.body;
}

TEST(RestContent, ATypeCannotBreakTheHeader) {
  const Asked ask({});
  for (const auto* const mime : {"text/plain\\r\\nX: y", "nonsense", "", "text/", "a b/c"}) {
    const auto content = std::string(R"({"uri":"t://a","mimeType":")") + mime + R"(","text":"x"})";
    EXPECT_EQ(ask(content).type, "text/plain; charset=utf-8") << mime;
  }
}

TEST(RestContent, FreshnessIsThatOfTheServer) {
  const Asked ask({});
  const auto has = [](const RestAnswer& answer, std::string_view field) {
    return answer.fields.contains(field);
  };
  EXPECT_TRUE(has(ask(kHello), "Cache-Control: private, no-cache\r\n"));
  EXPECT_TRUE(has(ask(kHello, R"("ttlMs":90000,"cacheScope":"public",)"),
                  "Cache-Control: public, max-age=90\r\n"));
  // Where callers are authenticated, what one may read is not for a cache that all use.
  EXPECT_TRUE(has(ask(kHello, R"("ttlMs":90000,"cacheScope":"public",)", false),
                  "Cache-Control: private, max-age=90\r\n"));
  EXPECT_TRUE(has(ask(kHello, R"("ttlMs":500,"cacheScope":"private",)"),
                  "Cache-Control: private, no-cache\r\n"));
}

TEST(RestContent, WhatTheClientHasIsNotSentAgain) {
  const std::string tag = etag_of("hello");
  const auto answer = Asked({{"If-None-Match", tag}})(kHello);
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.body, "");
}

TEST(RestContent, Ranges) {
  const auto part = Asked({{"Range", "bytes=1-3"}})(kHello);
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "ell");
  EXPECT_TRUE(part.fields.contains("Content-Range: bytes 1-3/5\r\n"));
  EXPECT_EQ(Asked({{"Range", "bytes=9-"}})(kHello).status, 416);
  EXPECT_EQ(Asked({{"Range", "bytes=1-3"}}, "HEAD")(kHello).status, 200);
}

TEST(RestContent, WhatAnUpstreamGotWrongIsItsFault) {
  EXPECT_EQ(Asked({})(R"({"uri":"t://b","blob":"!!"})").status, 502);
  EXPECT_EQ(Asked({})(R"({"uri":"t://b","text":7})").status, 502);
  EXPECT_EQ(Asked({})("").status, 502);
}

}  // namespace
}  // namespace patchbay::frontends
