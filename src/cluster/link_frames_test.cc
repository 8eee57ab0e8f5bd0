#include "cluster/link_frames.h"

#include <gtest/gtest.h>

namespace patchbay::cluster {
namespace {

TEST(LinkFramesTest, ARequestIsReadAsItWasWritten) {
  std::string payload = begin_payload(LinkFrame::request, 0x01020304);
  const std::string body("a\0b", 3);
  append(payload, RequestFrame{.run = 7,
                               .body_size = 99,
                               .secure = true,
                               .caller = "{}",
                               .ip = "::1",
                               .head = "POST / HTTP/1.1\r\n\r\n",
                               .body = body});
  const auto read = read_payload(payload);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, LinkFrame::request);
  EXPECT_EQ(read->stream, 0x01020304U);
  const auto frame = read_request(read->rest);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->run, 7U);
  EXPECT_EQ(frame->body_size, 99U);
  EXPECT_TRUE(frame->secure);
  EXPECT_EQ(frame->ip, "::1");
  EXPECT_EQ(frame->head, "POST / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(frame->body, body);
  // Every shorter one lacks something, except of the body.
  for (std::size_t size = 0; size + body.size() < read->rest.size(); ++size) {
    EXPECT_FALSE(read_request(read->rest.substr(0, size))) << size;
  }
}

TEST(LinkFramesTest, AResponseIsReadAsItWasWritten) {
  std::string rest;
  append(rest, HeadFrame{.status = 404,
                         .streams = false,
                         .body_size = 1ULL << 40,
                         .type = "text/plain",
                         .fields = "A: b\r\n",
                         .body = "piece"});
  const auto frame = read_head(rest);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status, 404);
  EXPECT_EQ(frame->body_size, 1ULL << 40);
  EXPECT_EQ(frame->type, "text/plain");
  EXPECT_EQ(frame->fields, "A: b\r\n");
  EXPECT_EQ(frame->body, "piece");
  EXPECT_FALSE(read_head(rest.substr(0, 8)));
}

TEST(LinkFramesTest, UnknownFramesAreNone) {
  EXPECT_FALSE(read_payload(""));
  EXPECT_FALSE(read_payload(std::string("\x01\x00", 2)));
  EXPECT_FALSE(read_payload(std::string("\x0b\0\0\0\0", 5)));
  EXPECT_FALSE(read_payload(std::string("\0\0\0\0\0", 5)));
}

TEST(LinkFramesTest, ACallerIsReadAsItWasWritten) {
  Principal caller;
  caller.id = "jwt:https://issuer#ann";
  caller.name = "Ann \"A\"";
  caller.auth_method = AuthMethod::jwt;
  caller.roles = {"reader", "admin"};
  caller.scopes = {"mcp"};
  caller.claims = R"({"sub":"ann","groups":["a"]})";
  caller.until =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'123));
  const auto standing = std::make_shared<int>(0);
  const auto read = read_caller(text_of(caller), standing);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, caller.id);
  EXPECT_EQ(read->name, caller.name);
  EXPECT_EQ(read->auth_method, caller.auth_method);
  EXPECT_EQ(read->roles, caller.roles);
  EXPECT_EQ(read->scopes, caller.scopes);
  EXPECT_EQ(read->claims, caller.claims);
  EXPECT_EQ(read->until, caller.until);
  EXPECT_FALSE(read->known_by.expired());
  EXPECT_FALSE(read_caller("{}", standing));
  EXPECT_FALSE(read_caller(R"({"id":"x","auth":17})", standing));
}

}  // namespace
}  // namespace patchbay::cluster
