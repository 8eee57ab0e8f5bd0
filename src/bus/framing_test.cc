#include "bus/framing.h"

#include <gtest/gtest.h>

namespace patchbay::bus {
namespace {

using namespace std::string_literals;

TEST(Framing, PutsTheIdInFront) {
  EXPECT_EQ(frame(0x01020304, "{}"), "\0\x01\x02\x03\x04{}"s);
  const std::string framed = frame(7, "{}");
  auto unframed = unframe(framed, std::nullopt);
  ASSERT_TRUE(unframed);
  EXPECT_EQ(unframed->id, 7);
  EXPECT_EQ(unframed->payload, "{}");
}

TEST(Framing, TakesBareJson) {
  auto unframed = unframe("{\"a\":1}", std::nullopt);
  ASSERT_TRUE(unframed);
  EXPECT_TRUE(unframed->bare());
  EXPECT_EQ(unframed->payload, "{\"a\":1}");
  EXPECT_TRUE(unframe("", std::nullopt)->bare());
}

TEST(Framing, TakesTheNameFromAHeader) {
  auto by_id = unframe("{}", "\0\0\0\0\x05"s);
  EXPECT_EQ(by_id->id, 5);
  EXPECT_EQ(by_id->payload, "{}");
  const std::string guid = "\x01\x12\x34\x56\x78\x9a\xbc\xde\xf0\x11\x22\x33\x44\x55\x66\x77\x88"s;
  auto by_guid = unframe("{}", guid);
  EXPECT_EQ(by_guid->guid, "12345678-9abc-def0-1122-334455667788");
  EXPECT_EQ(by_guid->payload, "{}");
  const std::string before = guid + "{}";
  EXPECT_EQ(unframe(before, std::nullopt)->payload, "{}");
}

TEST(Framing, RefusesWhatIsCutOff) {
  EXPECT_FALSE(unframe("\0\0\0"s, std::nullopt));
  EXPECT_FALSE(unframe("\x01\0\0\0\0"s, std::nullopt));
  EXPECT_FALSE(unframe("{}", "\x02\0\0\0\0"s));
}

}  // namespace
}  // namespace patchbay::bus
