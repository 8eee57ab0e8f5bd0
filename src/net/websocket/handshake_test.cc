#include "net/websocket/handshake.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

constexpr std::string_view kKey = "x3JJHMbDL1EzLkh9GBhXDw==";

WsAnswer answer_to(const std::string& fields, const std::string& line = "GET /mcp HTTP/1.1") {
  const std::string text = line + "\r\nHost: localhost\r\n" + fields + "\r\n";
  HttpRequest request;
  auto size = parse_request(text, {}, request);
  EXPECT_TRUE(size && *size == text.size());
  EXPECT_TRUE(wants_websocket(request));
  return answer_upgrade(request);
}

const std::string kUpgrade = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n";
const std::string kVersion13 = "Sec-WebSocket-Version: 13\r\n";
const std::string kKeyField = "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n";

TEST(WebSocketHandshake, AnswersTheSampleKeyOfTheRfc) {
  EXPECT_EQ(ws_accept(kKey), "HSmrc0sMlYUkAGmm5OPpG2HaGWk=");
  EXPECT_EQ(ws_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketHandshake, SwitchesProtocols) {
  const WsAnswer answer = answer_to(kUpgrade + kVersion13 + kKeyField);
  EXPECT_EQ(answer.status, 101);
  EXPECT_FALSE(answer.mcp);
  EXPECT_EQ(answer.fields,
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n");
}

TEST(WebSocketHandshake, AgreesToTheSubprotocolAndToNoExtension) {
  const WsAnswer answer = answer_to(kUpgrade + kVersion13 + kKeyField +
                                    "Sec-WebSocket-Protocol: other, mcp\r\n"
                                    "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  EXPECT_EQ(answer.status, 101);
  EXPECT_TRUE(answer.mcp);
  EXPECT_TRUE(answer.fields.ends_with("Sec-WebSocket-Protocol: mcp\r\n"));
  EXPECT_EQ(answer.fields.find("Extensions"), std::string::npos);
}

TEST(WebSocketHandshake, NamesItsVersionToAnyOther) {
  for (const std::string version :
       {"", "Sec-WebSocket-Version: 8\r\n", "Sec-WebSocket-Version: 13, 8\r\n"}) {
    const WsAnswer answer = answer_to(kUpgrade + version + kKeyField);
    EXPECT_EQ(answer.status, 426);
    EXPECT_NE(answer.fields.find("Sec-WebSocket-Version: 13\r\n"), std::string::npos);
  }
}

TEST(WebSocketHandshake, RefusesBadRequests) {
  EXPECT_EQ(answer_to(kUpgrade + kVersion13).status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + kKeyField + kKeyField).status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + "Sec-WebSocket-Key: c2hvcnQ=\r\n").status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + "Sec-WebSocket-Key: no base64\r\n").status, 400);
  EXPECT_EQ(answer_to("Upgrade: websocket\r\n" + kVersion13 + kKeyField).status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + kKeyField, "POST /mcp HTTP/1.1").status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + kKeyField, "GET /mcp HTTP/1.0").status, 400);
  EXPECT_EQ(answer_to(kUpgrade + kVersion13 + kKeyField + "Content-Length: 3\r\n").status, 400);
}

TEST(WebSocketHandshake, IsNotMeantByOtherUpgrades) {
  HttpRequest request;
  auto size = parse_request("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n", {}, request);
  ASSERT_TRUE(size);
  EXPECT_FALSE(wants_websocket(request));
}

Result<bool> check(const std::string& head_text, bool mcp = false) {
  HttpResponseHead head;
  auto size = parse_response(head_text, {}, head);
  EXPECT_TRUE(size && *size == head_text.size());
  return check_ws_response(head, kKey, mcp);
}

TEST(WebSocketHandshake, ChecksWhatAServerAnswers) {
  const std::string good =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n";
  const auto plain = check(good + "\r\n");
  EXPECT_TRUE(plain && !*plain);
  const auto mcp = check(good + "Sec-WebSocket-Protocol: mcp\r\n\r\n", true);
  EXPECT_TRUE(mcp && *mcp);
  EXPECT_FALSE(check(good + "Sec-WebSocket-Protocol: mcp\r\n\r\n", false));
  EXPECT_FALSE(check(good + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"));
  std::string wrong = good + "\r\n";
  wrong.replace(wrong.find("HSmr"), 4, "AAAA");
  EXPECT_FALSE(check(wrong));
  EXPECT_FALSE(check("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"));
}

TEST(WebSocketHandshake, ReportsWhyAServerRefuses) {
  const std::string end = "Content-Length: 0\r\n\r\n";
  EXPECT_EQ(check("HTTP/1.1 401 Unauthorized\r\n" + end).error().code, Code::unauthenticated);
  EXPECT_EQ(check("HTTP/1.1 403 Forbidden\r\n" + end).error().code, Code::forbidden);
  EXPECT_EQ(check("HTTP/1.1 503 Service Unavailable\r\n" + end).error().code, Code::unavailable);
  const Error moved = check("HTTP/1.1 301 Moved\r\nLocation: wss://elsewhere/\r\n" + end).error();
  EXPECT_EQ(moved.code, Code::upstream_failed);
  EXPECT_NE(moved.message.find("wss://elsewhere/"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::net
