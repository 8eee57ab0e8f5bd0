#include "net/http_conditions.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

using Kind = ByteRange::Kind;

ByteRange range(std::string_view text, std::uint64_t size = 10) {
  HttpFields fields;
  fields.add({"Range", text});
  return wanted_range(fields, "\"a\"", size);
}

void expect_part(std::string_view text, std::uint64_t first, std::uint64_t last) {
  const auto got = range(text);
  EXPECT_EQ(got.kind, Kind::part) << text;
  EXPECT_EQ(got.first, first) << text;
  EXPECT_EQ(got.last, last) << text;
}

TEST(Conditions, OneRange) {
  expect_part("bytes=0-0", 0, 0);
  expect_part("bytes=2-5", 2, 5);
  expect_part("bytes=8-", 8, 9);
  expect_part("bytes=-3", 7, 9);
  expect_part("bytes=-99", 0, 9);
  expect_part("bytes=5-99", 5, 9);
}

TEST(Conditions, BeyondTheEnd) {
  EXPECT_EQ(range("bytes=10-").kind, Kind::none);
  EXPECT_EQ(range("bytes=-0").kind, Kind::none);
  EXPECT_EQ(range("bytes=0-", 0).kind, Kind::none);
  EXPECT_EQ(range("bytes=-1", 0).kind, Kind::none);
}

TEST(Conditions, WhatIsNoRangeIsIgnored) {
  for (const auto* const text : {"bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=0-1,3-4",
                                 "items=0-1", "bytes=0", "bytes=99999999999999999999-"}) {
    EXPECT_EQ(range(text).kind, Kind::all) << text;
  }
}

TEST(Conditions, ARangeOfSomethingElseIsAll) {
  HttpFields fields;
  fields.add({"Range", "bytes=0-1"});
  fields.add({"If-Range", "\"b\""});
  EXPECT_EQ(wanted_range(fields, "\"a\"", 10).kind, Kind::all);
  EXPECT_EQ(wanted_range(fields, "\"b\"", 10).kind, Kind::part);
}

TEST(Conditions, WhatTheClientHas) {
  HttpFields fields;
  EXPECT_FALSE(has_already(fields, "\"a\""));
  fields.add({"If-None-Match", "\"x\", W/\"a\""});
  EXPECT_TRUE(has_already(fields, "\"a\""));
  EXPECT_FALSE(has_already(fields, "\"b\""));
  HttpFields any;
  any.add({"If-None-Match", "*"});
  EXPECT_TRUE(has_already(any, "\"b\""));
}

}  // namespace
}  // namespace patchbay::net
