#include "upstreams/kafka/table.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

TEST(KafkaTable, KeepsTheLatestOfEachKeyAndTheNewest) {
  KafkaTable table({.newest = 2, .keys = 10, .bytes = 1 << 20});
  table.put({"a", "1"});
  table.put({"b", "2"});
  table.put({"a", "3"});
  table.put({"", "no key"});
  EXPECT_EQ(table.find("a")->value, "3");
  EXPECT_EQ(table.find("b")->value, "2");
  EXPECT_EQ(table.keys(), 2U);
  ASSERT_EQ(table.newest().size(), 2U);
  EXPECT_EQ(table.newest().front().value, "3");
  table.remove("a");
  table.remove("never there");
  EXPECT_EQ(table.find("a"), nullptr);
}

TEST(KafkaTable, MakesRoom) {
  KafkaTable few({.newest = 1, .keys = 2, .bytes = 1 << 20});
  for (const auto* const key : {"a", "b", "a", "c"}) few.put({key, "v"});
  EXPECT_EQ(few.find("b"), nullptr);  // The oldest of those that are left.
  EXPECT_NE(few.find("a"), nullptr);
  KafkaTable small({.newest = 10, .keys = 10, .bytes = 1000});
  for (int i = 0; i < 10; ++i) small.put({std::to_string(i), std::string(300, 'x')});
  EXPECT_LE(small.keys(), 3U);
  EXPECT_NE(small.find("9"), nullptr);
  EXPECT_LE(small.newest().size(), 3U);
}

}  // namespace
}  // namespace patchbay::upstreams
