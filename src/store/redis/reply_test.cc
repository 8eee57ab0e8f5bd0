#include "store/redis/reply.h"

#include <gtest/gtest.h>

#include "store/redis/settings.h"

namespace patchbay::store {
namespace {

using Kind = Reply::Kind;

Reply parsed(std::string_view bytes) {
  // Each shorter text is the beginning of a reply.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto part = parse_reply(bytes.substr(0, size));
    EXPECT_TRUE(part && !*part) << size;
  }
  auto whole = parse_reply(std::string(bytes) + "+next\r\n");
  if (!whole || !*whole) {
    ADD_FAILURE() << "not parsed: " << bytes;
    return {};
  }
  EXPECT_EQ((*whole)->size, bytes.size());
  return (*whole)->reply;
}

TEST(RedisReply, HasEachKind) {
  EXPECT_EQ(parsed("+OK\r\n").text, "OK");
  EXPECT_EQ(parsed("-ERR no\r\n").kind, Kind::error);
  EXPECT_EQ(parsed(":-12\r\n").number, -12);
  EXPECT_EQ(parsed(std::string_view("$7\r\na\r\nb$c\0\r\n", 13)).text.size(), 7U);
  EXPECT_EQ(parsed("$-1\r\n").kind, Kind::null);
  EXPECT_EQ(parsed("_\r\n").kind, Kind::null);
  EXPECT_EQ(parsed("#t\r\n").number, 1);
  EXPECT_EQ(parsed("*2\r\n:1\r\n*1\r\n$1\r\nx\r\n").items[1].items[0].text, "x");
  EXPECT_EQ(parsed("%1\r\n+a\r\n:1\r\n").items.size(), 2U);
  EXPECT_EQ(parsed(">2\r\n+message\r\n+x\r\n").kind, Kind::push);
  EXPECT_EQ(parsed("*0\r\n").kind, Kind::list);
}

TEST(RedisReply, RefusesWhatIsNone) {
  for (const auto* const bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "$1\r\nabc", "\r\n", "$x\r\n", "$-2\r\n", ":\r\n",
        "*99999999\r\n", "$999999999\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"}) {
    EXPECT_FALSE(parse_reply(bytes)) << bytes;
  }
}

TEST(RedisCommand, IsCountedAndNotQuoted) {
  EXPECT_EQ(encode_command({"GET", "a\r\nb", ""}), "*3\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n$0\r\n\r\n");
}

TEST(RedisAddress, HasDefaults) {
  const auto address = parse_redis_address("redis://Store.example");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->text(), "redis://store.example:6379");
  EXPECT_EQ(address->password, "");
  EXPECT_EQ(address->database, 0);
}

TEST(RedisAddress, HasEachPart) {
  const auto address = parse_redis_address("rediss://me:a%40b:@c@[::1]:7000/12");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_TRUE(address->server.tls);
  EXPECT_EQ(address->text(), "rediss://[::1]:7000");
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "a@b:@c");
  EXPECT_EQ(address->database, 12);
  EXPECT_EQ(parse_redis_address("redis://:secret@a")->password, "secret");
}

TEST(RedisAddress, RefusesWhatIsNoneAndDoesNotRepeatSecrets) {
  for (const auto* const url :
       {"", "http://a", "redis://", "redis://secret@a", "redis://u:secret%zz@a", "redis://a:0",
        "redis://u:secret@a/x", "redis://u:secret@a/-1", "redis://u:secret@"}) {
    const auto address = parse_redis_address(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().message.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace patchbay::store
